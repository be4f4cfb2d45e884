//! Files that a scenario names: delivery traces of its loss models, capacities of its links.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use airtcp_link::{Rate, RateTrace};
use airtcp_scenario::{Direction, Scenario, ScenarioError, Topology};
use airtcp_trace::{ReadOptions, read_links};
use airtcp_units::{Capacity, Outcomes};

/// Reads the capacity files that a scenario's links name, from `folder`. Call it before resolving
/// the scenario.
///
/// # Errors
/// A file that cannot be read, or that holds no capacity; with the path to the key.
pub fn read_capacities(scenario: &mut Scenario, folder: &Path) -> Result<(), ScenarioError> {
    Traces::new(folder, BTreeMap::new()).read_capacities(scenario)
}

/// Reads the capacity file that `rate` names.
fn load_capacity(base: &Path, rate: &RateTrace) -> Result<Arc<Capacity>, String> {
    let file = base.join(&rate.trace);
    let read = |layout: Option<&str>| {
        let options = ReadOptions {
            layout: layout.map(ToOwned::to_owned),
            rate_unit: rate.unit.clone(),
            ..ReadOptions::default()
        };
        read_links(&file, &options)
    };
    let first = read(None);
    let found = |links: Vec<airtcp_trace::LinkTrace>| links.into_iter().find_map(|l| l.capacity);
    if let Ok(links) = &first
        && let [link] = links.as_slice()
        && let Some(capacity) = &link.capacity
    {
        return Ok(capacity.clone());
    }
    // A few whole numbers could be several layouts; here they are milliseconds.
    if rate.unit.is_none()
        && let Some(capacity) = read(Some("mahimahi")).ok().and_then(found)
    {
        return Ok(capacity);
    }
    match first {
        Err(e) => Err(e.to_string()),
        Ok(_) => Err(format!(
            "{} says nothing about a capacity: expected a link trace of mahimahi (a millisecond a \
             line) or a table of times and rates",
            file.display()
        )),
    }
}

/// The traces and capacities that a scenario names, each read once for all replications and variants: a pipe can be
/// read only once.
#[derive(Debug)]
pub struct Traces {
    folder: PathBuf,
    read: Mutex<BTreeMap<String, Arc<Outcomes>>>,
    /// Capacities by file and unit of the rates.
    capacities: Mutex<BTreeMap<(String, Option<String>), Arc<Capacity>>>,
}

impl Traces {
    /// Traces whose names are relative to `folder`; those in `known` need not be read.
    pub fn new(folder: &Path, known: BTreeMap<String, Arc<Outcomes>>) -> Self {
        let capacities = Mutex::default();
        Self { folder: folder.to_owned(), read: Mutex::new(known), capacities }
    }

    /// The folder to which names are relative.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The trace named `name`: a path, and after a `#` the name of a link if the file holds
    /// several.
    ///
    /// # Errors
    /// A message that names the file and says what is wrong with it.
    pub fn load(&self, name: &str) -> Result<Arc<Outcomes>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = read.get(name) {
            return Ok(found.clone());
        }
        let outcomes = load_trace(&self.folder, name)?;
        read.insert(name.to_owned(), outcomes.clone());
        Ok(outcomes)
    }

    /// Reads the capacity files that a scenario's links name, each once. Call it before resolving the scenario.
    ///
    /// # Errors
    /// A file that cannot be read, or that holds no capacity; with the path to the key.
    pub fn read_capacities(&self, scenario: &mut Scenario) -> Result<(), ScenarioError> {
        let mut directions: Vec<(String, &mut Direction)> = Vec::new();
        match &mut scenario.topology {
            Some(Topology::Chain { link, reverse, .. }) => {
                directions.push(("topology.link".into(), link));
                directions
                    .extend(reverse.iter_mut().map(|r| ("topology.reverse".into(), &mut **r)));
            }
            Some(Topology::Dumbbell { bottleneck, reverse, access, .. }) => {
                directions.push(("topology.bottleneck".into(), bottleneck));
                directions
                    .extend(reverse.iter_mut().map(|r| ("topology.reverse".into(), &mut **r)));
                directions.extend(access.iter_mut().map(|a| ("topology.access".into(), &mut **a)));
            }
            None => {}
        }
        for (i, link) in scenario.links.iter_mut().enumerate() {
            directions.push((format!("links[{i}].forward"), &mut link.forward));
            directions.extend(link.reverse.iter_mut().map(|r| (format!("links[{i}].reverse"), r)));
        }
        let mut known = self.capacities.lock().unwrap_or_else(PoisonError::into_inner);
        for (place, direction) in directions {
            let Some(Rate::Trace(rate)) = &mut direction.rate else { continue };
            let key = (rate.trace.clone(), rate.unit.clone());
            let capacity = match known.get(&key) {
                Some(capacity) => capacity.clone(),
                None => load_capacity(&self.folder, rate)
                    .map_err(|message| ScenarioError::at(format!("{place}.rate.trace"), message))?,
            };
            known.insert(key, capacity.clone());
            rate.capacity = Some(capacity);
        }
        Ok(())
    }
}

/// Most names of links in an error.
const SHOWN: usize = 5;

/// Reads a trace whose name is relative to `base`: see [`Traces::load`]. Files and links may have a
/// `#` in their own names.
fn load_trace(base: &Path, name: &str) -> Result<Arc<Outcomes>, String> {
    let parts = || name.match_indices('#').map(|(at, _)| (&name[..at], Some(&name[at + 1..])));
    let (path, wanted) = std::iter::once((name, None))
        .chain(parts())
        .find(|(path, _)| base.join(path).is_file())
        .or_else(|| parts().next())
        .unwrap_or((name, None));
    let file = base.join(path);
    let mut links = read_links(&file, &ReadOptions::default()).map_err(|e| e.to_string())?;
    if links.iter().any(|link| link.capacity.is_some()) {
        return Err(format!(
            "{} holds a capacity and says nothing about losses: give it as rate = {{ trace = \"{path}\" }}",
            file.display()
        ));
    }
    let position = match wanted {
        Some(wanted) => links.iter().position(|l| l.name == wanted).ok_or_else(|| {
            let names: Vec<&str> = links.iter().map(|l| l.name.as_str()).take(SHOWN).collect();
            format!(
                "{} holds no link \"{wanted}\" (it holds {}: {}{})",
                file.display(),
                links.len(),
                names.join(", "),
                if links.len() > SHOWN { ", ..." } else { "" }
            )
        })?,
        None if links.len() == 1 => 0,
        None => {
            return Err(format!(
                "{} holds {} links: name one as \"{path}#{}\"",
                file.display(),
                links.len(),
                links.first().map_or("name", |l| &l.name)
            ));
        }
    };
    Ok(Arc::new(links.swap_remove(position).outcomes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_number_signs() {
        let folder = std::env::temp_dir().join(format!("airtcp-loader-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("run#1.txt"), "0110").unwrap();
        std::fs::write(folder.join("two#2.csv"), "src,dst,received\na,b,1\na,c,0\n").unwrap();
        assert_eq!(load_trace(&folder, "run#1.txt").unwrap().len(), 4);
        assert_eq!(load_trace(&folder, "run#1.txt#run#1").unwrap().len(), 4);
        let second = load_trace(&folder, "two#2.csv#two#2:a>c").unwrap();
        assert_eq!((second.len(), second.get(0)), (1, Some(false)));
        let several = load_trace(&folder, "two#2.csv").unwrap_err();
        assert!(several.contains("holds 2 links"), "{several}");
        for bad in ["", "#", "missing#x", "."] {
            assert!(!load_trace(&folder, bad).unwrap_err().is_empty(), "{bad:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

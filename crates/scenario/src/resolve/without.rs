//! Leaves out what the table `without` names: marks flows and cells, and moves stations to their access points.

use std::collections::BTreeSet;

use airtcp_probe::nearest;
use airtcp_wifi::phy::propagation::PathLossConfig;

use crate::{Cell, CellSpec, Flow, Hops, ScenarioError, Without};

/// Names in a message about an unknown one, at most.
const LISTED: usize = 20;

/// Gives the cells that `overlap` names media of their own. Call it before the cells are resolved.
///
/// # Errors
/// A name of no cell.
pub(super) fn part_cells(without: &Without, cells: &mut [CellSpec]) -> Result<(), ScenarioError> {
    for (i, name) in without.overlap.iter().enumerate() {
        let found = cells.iter().position(|cell| cell.name == *name);
        let names = || cells.iter().map(|cell| cell.name.as_str());
        let Some(found) = found else { return Err(unknown("overlap", i, name, names())) };
        let cell = &mut cells[found];
        (cell.channel, cell.bss_color, cell.secondary_channel) = (None, None, None);
    }
    Ok(())
}

/// Leaves the parts out.
///
/// # Errors
/// A name of nothing, or a station whose distance has no effect.
pub(super) fn apply(
    without: &Without,
    flows: &mut [Flow],
    cells: &mut [Cell],
) -> Result<(), ScenarioError> {
    for (i, name) in without.flows.iter().enumerate() {
        let found = flows.iter().position(|flow| flow.name == *name);
        let names = || flows.iter().map(|flow| flow.name.as_str());
        let Some(found) = found else { return Err(unknown("flow", i, name, names())) };
        flows[found].taken_out = true;
    }
    for (i, name) in without.cells.iter().enumerate() {
        let found = cells.iter().position(|cell| cell.spec.name == *name);
        let names = || cells.iter().map(|cell| cell.spec.name.as_str());
        let Some(found) = found else { return Err(unknown("cell", i, name, names())) };
        let cell = &mut cells[found];
        cell.taken_out = true;
        (cell.spec.mac.beacons, cell.spec.mac.association) = (None, None);
    }
    let near = near(without, cells)?;
    for (cell, beside) in cells.iter_mut().zip(near) {
        cell.beside = beside.into_iter().collect();
    }
    Ok(())
}

/// By cell, the numbers of the stations whose distance is taken away.
fn near(without: &Without, cells: &[Cell]) -> Result<Vec<BTreeSet<usize>>, ScenarioError> {
    let mut near = vec![BTreeSet::new(); cells.len()];
    let stations: Vec<Vec<String>> = cells.iter().map(|cell| cell.spec.node_names()).collect();
    for (i, name) in without.distance.iter().enumerate() {
        let refuse =
            |message: String| Err(ScenarioError::at(format!("without.distance[{i}]"), message));
        let place = (stations.iter().enumerate()).find_map(|(cell, names)| {
            Some((cell, names.iter().position(|station| station == name)?))
        });
        let Some((number, station)) = place else {
            let names = stations.iter().flat_map(|names| names.iter().skip(1));
            return Err(unknown("distance", i, name, names.map(String::as_str)));
        };
        let spec = &cells[number].spec;
        if station == 0 {
            return refuse(format!(
                "\"{name}\" is the access point of \"{}\": give a station",
                spec.name
            ));
        }
        if spec.hops == Hops::Chain {
            return refuse(format!(
                "\"{name}\" is in the chain \"{}\", where stations send to their neighbours: expected \
                 stations of cells with hops = \"access-point\"",
                spec.name
            ));
        }
        if matches!(spec.propagation.path_loss, PathLossConfig::Matrix(_)) {
            return refuse(format!(
                "\"{name}\" is in \"{}\", whose path loss \"matrix\" does not depend on distance: set \
                 its losses instead",
                spec.name
            ));
        }
        near[number].insert(station);
    }
    Ok(near)
}

/// The error of a name that nothing has.
fn unknown<'a>(
    kind: &str,
    place: usize,
    name: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> ScenarioError {
    let (key, what) = match kind {
        "distance" => ("distance", "station"),
        "cell" => ("cells", "cell"),
        "overlap" => ("overlap", "cell"),
        _ => ("flows", "flow"),
    };
    let hint = nearest(name, names.clone()).map(|n| format!("; did you mean \"{n}\"?"));
    let mut some: Vec<&str> = names.take(LISTED + 1).collect();
    let more = if some.len() > LISTED { ", ..." } else { "" };
    some.truncate(LISTED);
    let accepted = if some.is_empty() {
        format!("the scenario has no {what}")
    } else {
        format!("{what}s: {}{more}", some.join(", "))
    };
    let message = format!("\"{name}\" is no {what}{} ({accepted})", hint.unwrap_or_default());
    ScenarioError::at(format!("without.{key}[{place}]"), message)
}

#[cfg(test)]
mod tests {
    use crate::{Resolved, ScenarioError, read};

    const CELLS: &str = "[[cells]]\nname = \"home\"\naccess_point = \"ap\"\nprefix = \"sta\"\n\
        standard = \"802.11n\"\nlayout = { kind = \"disc\", stations = 3 }\n\
        stations = [{ name = \"sta1\", mcs = 0, power_dbm = 10.0 }]\nmac.beacons = {}\n\
        [[cells]]\nname = \"other\"\naccess_point = \"bp\"\nprefix = \"b\"\n\
        layout = { kind = \"star\", stations = 1 }\n\
        [[flows]]\nname = \"up\"\nfrom = \"sta*\"\nto = \"ap\"\ncount = 3\n\
        [[flows]]\nname = \"call\"\nfrom = \"b0\"\nto = \"bp\"\n";

    fn with(key: &str, value: &str) -> Result<Resolved, ScenarioError> {
        read(CELLS, "t.toml", &[(key.into(), value.into())])?.resolve()
    }

    #[test]
    fn names_are_those_of_the_results() {
        let out = |value| -> Vec<String> {
            let flows = with("without.flows", value).unwrap().flows;
            flows.into_iter().filter(|flow| flow.taken_out).map(|flow| flow.name).collect()
        };
        assert_eq!(out("[\"call\", \"up2\"]"), ["up2", "call"]);
        assert!(out("[]").is_empty());
        let plan = with("without.cells", "[\"home\"]").unwrap();
        assert_eq!(plan.cells.iter().map(|c| c.taken_out).collect::<Vec<_>>(), [true, false]);
        assert_eq!(plan.cells[0].spec.mac.beacons, None);
        let plan = with("without.distance", "[\"sta1\", \"b0\"]").unwrap();
        assert_eq!(plan.cells.iter().map(|c| c.beside.clone()).collect::<Vec<_>>(), [[2], [1]]);
        // A rate of its own is no distance.
        let station = &plan.cells[0].spec.stations[0];
        assert_eq!((station.mcs, station.power_dbm), (Some(0), Some(10.0)));
        assert_eq!(plan.scenario.without.distance, ["sta1", "b0"]);
    }

    #[test]
    fn unknown_names_are_refused_with_the_nearest() {
        let said = |key: &str, value: &str| with(key, value).unwrap_err().to_string();
        assert_eq!(
            said("without.flows", "[\"call\", \"up\"]"),
            "without.flows[1]: \"up\" is no flow; did you mean \"up0\"? (flows: up0, up1, up2, call)"
        );
        assert_eq!(
            said("without.cells", "[\"hom\"]"),
            "without.cells[0]: \"hom\" is no cell; did you mean \"home\"? (cells: home, other)"
        );
        assert_eq!(
            said("without.distance", "[\"sta9\"]"),
            "without.distance[0]: \"sta9\" is no station; did you mean \"sta0\"? (stations: sta0, sta1, sta2, \
             b0)"
        );
        assert!(said("without.distance", "[\"bp\"]").contains("is the access point of \"other\""));
        let key =
            read(CELLS, "t.toml", &[("without.flow".into(), "[\"call\"]".into())]).unwrap_err();
        assert!(key.to_string().contains("did you mean \"flows\""), "{key}");
    }

    #[test]
    fn a_distance_without_effect_is_refused() {
        let chain = "[[cells]]\nhops = \"chain\"\nlayout = { kind = \"line\", stations = 2 }\n";
        let own = "[\"sta0\"]".to_owned();
        let refused = |text: &str| {
            let plan = read(text, "", &[("without.distance".into(), own.clone())]).unwrap();
            plan.resolve().unwrap_err().to_string()
        };
        assert!(refused(chain).contains("where stations send to their neighbours"));
        let matrix = "[[cells]]\nlayout = { kind = \"line\", stations = 1 }\n\
            propagation.path_loss = { model = \"matrix\", losses = [], otherwise_db = 60.0 }\n";
        assert!(refused(matrix).contains("does not depend on distance"), "{}", refused(matrix));
    }
}

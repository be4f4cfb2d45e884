//! Laws from outside this crate: written in Python, or loaded from a shared library.
//!
//! A call that names such a law [offers](offer) it to the thread that reads its configurations.
//! Everywhere else a configuration that asks for one is refused: to open a scenario never runs code.
//! A configuration states the law's name, its keys, and the file and hash of its source, so that a
//! result says which version of the law it shows. If a configuration states a hash, only a law of
//! that hash is accepted.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use airtcp_probe::{ConfigError, nearest};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{CongestionControl, Needs};

/// Keys that every configuration of a law from outside has besides those of the law.
const OWN_KEYS: [&str; 4] = ["external", "file", "sha256", "law"];
/// Longest name of a law, in bytes.
const LONGEST_LABEL: usize = 100;

thread_local! {
    /// The laws that the present call has named.
    static OFFERED: RefCell<Vec<Arc<Outside>>> = const { RefCell::new(Vec::new()) };
    /// The flow whose ends are being made.
    static FLOW: RefCell<Option<String>> = const { RefCell::new(None) };
    /// The replication that runs.
    static REPLICATION: Cell<Option<u32>> = const { Cell::new(None) };
}

/// A value of a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum KeyValue {
    /// True or false.
    Flag(bool),
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// Text.
    Text(String),
}

impl KeyValue {
    const fn kind(&self) -> &'static str {
        match self {
            Self::Flag(_) => "true or false",
            Self::Whole(_) => "a whole number",
            Self::Real(_) => "a number",
            Self::Text(_) => "text",
        }
    }

    /// The value as one of the same kind as `self`.
    fn accept(&self, value: &Value) -> Option<Self> {
        Some(match self {
            Self::Flag(_) => Self::Flag(value.as_bool()?),
            Self::Whole(_) => Self::Whole(value.as_i64()?),
            Self::Real(_) => Self::Real(value.as_f64().filter(|v| v.is_finite())?),
            Self::Text(_) => Self::Text(value.as_str()?.to_owned()),
        })
    }
}

/// Keys and their values.
pub type Keys = BTreeMap<String, KeyValue>;

/// Makes the law of each connection.
pub trait LawMaker: fmt::Debug + Send + Sync {
    /// A law with these keys, which waits for [`CongestionControl::start`].
    fn make(&self, keys: &Keys) -> Box<dyn CongestionControl>;

    /// What the law needs of the path.
    fn needs(&self) -> Needs {
        Needs::Nothing
    }

    /// Does a piece of a simulation with the law, with what the law needs meanwhile (an interpreter).
    fn around(&self, work: &mut dyn FnMut()) {
        work();
    }

    /// A replication with the law begins on this thread.
    fn begins(&self) {}

    /// The replication that began on this thread ends.
    fn ends(&self) {}

    /// True after a law has failed, so that the run has no meaning any more.
    fn has_failed(&self) -> bool {
        false
    }

    /// Why and where a law has failed first; `None` also if Ctrl-C ended it.
    fn failure(&self) -> Option<Failure> {
        None
    }
}

/// An error of a law.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The replication; `None` outside a run.
    pub replication: Option<u32>,
    /// Call, time, flow and error.
    pub reason: String,
}

/// A law that a call names.
#[derive(Debug)]
pub struct Outside {
    /// Its name in scenarios and results.
    pub label: String,
    /// Its file, for results.
    pub file: String,
    /// Hash of its source, for results.
    pub sha256: String,
    /// Its keys with their defaults.
    pub keys: Keys,
    /// Makes it.
    pub maker: Arc<dyn LawMaker>,
}

/// The laws of a call, which are offered until this is dropped.
#[derive(Debug)]
#[must_use = "the laws are offered while this exists"]
pub struct Offer {
    before: Vec<Arc<Outside>>,
}

/// Offers laws to configurations that are read on this thread, in place of those offered before.
///
/// # Errors
/// A name that two laws share; a name or key that cannot be written.
pub fn offer(laws: Vec<Outside>) -> Result<Offer, ConfigError> {
    for (i, law) in laws.iter().enumerate() {
        let refuse = |why: String| ConfigError::new("law", format!("\"{}\": {why}", law.label));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let named = !law.label.is_empty() && law.label.len() <= LONGEST_LABEL;
        if !named || !law.label.chars().all(plain) {
            return Err(refuse("a name has letters, digits, - and _ only".to_owned()));
        }
        if laws[..i].iter().any(|other| other.label.eq_ignore_ascii_case(&law.label)) {
            return Err(refuse("two laws have this name; rename one".to_owned()));
        }
        if let Some(key) = law.keys.keys().find(|key| OWN_KEYS.contains(&key.as_str())) {
            return Err(refuse(format!("a key cannot be called \"{key}\"")));
        }
    }
    let laws = laws.into_iter().map(Arc::new).collect();
    Ok(Offer { before: OFFERED.with_borrow_mut(|offered| std::mem::replace(offered, laws)) })
}

impl Drop for Offer {
    fn drop(&mut self) {
        let before = std::mem::take(&mut self.before);
        OFFERED.with_borrow_mut(|offered| *offered = before);
    }
}

/// Names of the laws that are offered on this thread.
pub fn offered() -> Vec<String> {
    OFFERED.with_borrow(|offered| offered.iter().map(|law| law.label.clone()).collect())
}

/// Makes the ends of a flow. Laws that are made meanwhile know its name, for messages.
pub fn for_flow<T>(name: &str, make: impl FnOnce() -> T) -> T {
    FLOW.with_borrow_mut(|flow| *flow = Some(name.to_owned()));
    let made = make();
    FLOW.with_borrow_mut(|flow| *flow = None);
    made
}

/// The flow whose ends are being made.
pub fn present_flow() -> Option<String> {
    FLOW.with_borrow(Clone::clone)
}

/// Says which replication runs on this thread. Laws that are made meanwhile know it, for messages.
pub fn set_replication(number: Option<u32>) {
    REPLICATION.set(number);
}

/// The replication that runs on this thread.
pub fn present_replication() -> Option<u32> {
    REPLICATION.get()
}

/// A law from outside with its keys.
#[derive(Debug, Clone)]
pub struct ExternalLaw {
    of: Arc<Outside>,
    keys: Keys,
}

impl PartialEq for ExternalLaw {
    fn eq(&self, other: &Self) -> bool {
        let same = |a: &Self| (a.of.label.clone(), a.of.sha256.clone());
        same(self) == same(other) && self.keys == other.keys
    }
}

impl ExternalLaw {
    /// The offered law of this name, in any case, with its default keys.
    pub fn named(label: &str) -> Option<Self> {
        let of = OFFERED.with_borrow(|offered| {
            offered.iter().find(|law| law.label.eq_ignore_ascii_case(label)).cloned()
        })?;
        let keys = of.keys.clone();
        Some(Self { of, keys })
    }

    /// Its name.
    pub fn label(&self) -> &str {
        &self.of.label
    }

    /// Its keys.
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// What makes it.
    pub fn maker(&self) -> &dyn LawMaker {
        self.of.maker.as_ref()
    }

    /// True if the same maker makes both.
    pub fn has_maker_of(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.of.maker, &other.of.maker)
    }

    pub(crate) fn make(&self) -> Box<dyn CongestionControl> {
        self.of.maker.make(&self.keys)
    }

    /// Reads the table of a configuration.
    pub(crate) fn read(table: &Map<String, Value>) -> Result<Self, String> {
        let text = |key: &str| table.get(key).map(|v| v.as_str().unwrap_or_default());
        let label = text("external").unwrap_or_default();
        let Some(mut law) = Self::named(label) else {
            return Err(missing(label));
        };
        if let Some(hash) = text("sha256").filter(|hash| *hash != law.of.sha256) {
            return Err(format!(
                "the law \"{label}\" of {} has another hash ({}) than this asks for ({hash}): its \
                 source has changed; give the source of then, or leave sha256 out",
                law.of.file, law.of.sha256
            ));
        }
        for (key, value) in table.iter().filter(|(key, _)| !OWN_KEYS.contains(&key.as_str())) {
            let Some(default) = law.of.keys.get(key) else {
                let known: Vec<&str> = law.of.keys.keys().map(String::as_str).collect();
                let near = nearest(key, known.iter().copied())
                    .map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
                let has = if known.is_empty() { "no keys".to_owned() } else { known.join(", ") };
                return Err(format!(
                    "unknown key `{key}` of the law \"{label}\"{near} (it has {has})"
                ));
            };
            let kind = default.kind();
            let value = default.accept(value).ok_or_else(|| {
                format!("{key} of the law \"{label}\" is {value}; expected {kind}")
            })?;
            law.keys.insert(key.clone(), value);
        }
        Ok(law)
    }
}

fn missing(label: &str) -> String {
    let given = offered();
    let known = if given.is_empty() {
        "no law of your own is given".to_owned()
    } else {
        format!("given are {}", given.join(", "))
    };
    format!(
        "no law \"{label}\": name its file with --law FILE, of airtcp run and compare ({known})"
    )
}

impl Serialize for ExternalLaw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3 + self.keys.len()))?;
        map.serialize_entry("external", &self.of.label)?;
        map.serialize_entry("file", &self.of.file)?;
        map.serialize_entry("sha256", &self.of.sha256)?;
        for (key, value) in &self.keys {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Of these laws, one of each maker.
pub fn makers<'a>(laws: impl IntoIterator<Item = &'a ExternalLaw>) -> Vec<&'a ExternalLaw> {
    let mut found: Vec<&ExternalLaw> = Vec::new();
    for law in laws {
        if !found.iter().any(|other| other.has_maker_of(law)) {
            found.push(law);
        }
    }
    found
}

/// Does a piece of a simulation with what these laws need meanwhile.
pub fn around(laws: &[&ExternalLaw], work: &mut dyn FnMut()) {
    match laws.split_first() {
        None => work(),
        Some((first, rest)) => first.maker().around(&mut || around(rest, work)),
    }
}

#[cfg(test)]
mod tests;

//! TCP variants by name, such as "NewReno" or "CUBIC".
//!
//! In the literature one name stands for a congestion law together with a loss recovery. A
//! [`Variant`] is parsed from such a name, with further keys after colons:
//!
//! ```text
//! NAME[:KEY=VALUE]...        newreno    cubic    cubic:recovery=newreno    westwood+:rto_min=200 ms
//! ```
//!
//! - The name of a registered law (`reno`, `cubic`, `bbr` ...) selects that law with recovery
//!   `sack`. Variants named by laws therefore differ in the law alone, as in kernels: `reno` is
//!   Reno's law with the same recovery as `cubic`.
//! - The name of a loss recovery (`tahoe`, `newreno`, `sack` ...) selects Reno's law with that
//!   recovery, since Tahoe, NewReno and SACK TCP differ in recovery alone. If a law has the same
//!   name, the recovery has another name here: the fast recovery of RFC 5681, `recovery = "reno"`
//!   in a configuration, is `reno-nosack`.
//! - `own` selects the law and recovery of the configuration to which the variant is applied.
//!
//! A key is `recovery`, `profile` (the parameter set for everything else), a parameter of the law,
//! or any key of [`TcpConfig`]. If the law and TCP have a key of the same name, the law's is set.
//! `none` is the absence of an optional value.
//!
//! [Applying](Variant::apply) a variant to a configuration changes the law, the recovery, the SACK
//! option and the given keys, nothing else. The SACK option follows the recovery: on if the
//! recovery uses the scoreboard, off otherwise, since the recoveries of RFC 5681 and RFC 6582 are
//! for connections without SACK [chosen]. If the configuration already has the variant's law, the
//! law's parameters stay.
//!
//! All registered laws and recoveries can be named here, and the laws from outside that the call has
//! [offered](airtcp_congestion::external).

use airtcp_probe::{ConfigError, near, reworded};
use schemars::schema_for;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::config::{Recovery, TcpConfig};
use super::profile::Profile;
use airtcp_congestion::{ExternalLaw, LawConfig};

/// The recovery of variants named by a law.
const RECOVERY_OF_LAWS: &str = "sack";

/// Recoveries that share a law's name, and the names of their variants.
const RENAMED: [(&str, &str); 1] = [("reno", "reno-nosack")];

/// The name of the variant that changes nothing.
const OWN: &str = "own";

/// Keys of a variant that are not keys of [`TcpConfig`], or cannot be set alone.
const RECOVERY: &str = "recovery";
const PROFILE: &str = "profile";
const LAW: &str = "congestion";

/// Maximum number of suggestions for an unknown name.
const OFFERED: usize = 3;

/// A text that is no variant, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantError {
    /// The variant as written.
    pub variant: String,
    /// The fault and the accepted values.
    pub message: String,
}

impl std::fmt::Display for VariantError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TCP variant \"{}\": {}", self.variant, self.message)
    }
}

impl std::error::Error for VariantError {}

/// A TCP variant by name.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    label: String,
    /// `None` for [`OWN`].
    law: Option<LawConfig>,
    profile: Option<Profile>,
    of_law: Map<String, Value>,
    of_tcp: Map<String, Value>,
}

impl Variant {
    /// Parses a variant. Names may be written in capitals.
    ///
    /// # Errors
    /// Unknown names and keys, with the nearest known ones; values of the wrong kind.
    pub fn parse(text: &str) -> Result<Self, VariantError> {
        let refuse = |message: String| VariantError { variant: text.trim().to_owned(), message };
        let mut parts = text.split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let keys: Vec<&str> = parts.collect();
        let mut variant = match Self::of_own_law(name) {
            Some(variant) => variant,
            None => Self::named(&name.to_lowercase()).map_err(refuse)?,
        };
        for key in &keys {
            variant.set(key).map_err(refuse)?;
        }
        for key in &keys {
            variant.label += ":";
            variant.label += key;
        }
        // Reports errors that do not depend on the configuration at once.
        variant.merged(&TcpConfig::default()).map_err(refuse)?;
        Ok(variant)
    }

    /// A law from outside, which the call has named, with the recovery of laws.
    fn of_own_law(name: &str) -> Option<Self> {
        let law = ExternalLaw::named(name)?;
        let recovery = (RECOVERY.to_owned(), Value::from(RECOVERY_OF_LAWS));
        Some(Self {
            label: law.label().to_owned(),
            law: Some(LawConfig::External(law)),
            profile: None,
            of_law: Map::new(),
            of_tcp: std::iter::once(recovery).collect(),
        })
    }

    fn named(name: &str) -> Result<Self, String> {
        let variant = |law: Option<LawConfig>, recovery: Option<&str>| Self {
            label: name.to_owned(),
            law,
            profile: None,
            of_law: Map::new(),
            of_tcp: recovery.map(|r| (RECOVERY.to_owned(), Value::from(r))).into_iter().collect(),
        };
        if name == OWN {
            return Ok(variant(None, None));
        }
        // Laws first: a shared name is the law's.
        if let Some(law) = LawConfig::all().into_iter().find(|law| law.name() == name) {
            return Ok(variant(Some(law), Some(RECOVERY_OF_LAWS)));
        }
        if let Some(entry) = Recovery::ENTRIES.iter().find(|e| of_recovery(e.name) == name) {
            return Ok(variant(Some(LawConfig::default()), Some(entry.name)));
        }
        let accepted = Self::names();
        let hint = offer(name, accepted.iter().copied());
        Err(format!("no law or recovery has this name{hint} (accepted: {})", accepted.join(", ")))
    }

    /// Sets one `KEY=VALUE`.
    fn set(&mut self, text: &str) -> Result<(), String> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("expected KEY=VALUE behind the colon, not \"{text}\""));
        };
        let (key, value) = (key.trim(), value.trim());
        if key == PROFILE {
            let profile = Profile::ALL.into_iter().find(|p| p.name() == value);
            let names = Profile::ALL.map(Profile::name);
            self.profile = Some(profile.ok_or_else(|| {
                let hint = offer(value, names);
                format!("no profile \"{value}\"{hint} (accepted: {})", names.join(", "))
            })?);
            return Ok(());
        }
        let law_keys = self.law.as_ref().map(law_keys).unwrap_or_default();
        if law_keys.iter().any(|k| k == key) {
            self.of_law.insert(key.to_owned(), Value::from(value));
            return Ok(());
        }
        let tcp_keys = properties(&schema_for!(TcpConfig).to_value());
        if key != LAW && tcp_keys.iter().any(|k| k == key) {
            self.of_tcp.insert(key.to_owned(), Value::from(value));
            return Ok(());
        }
        let law = self.law.as_ref().map_or(OWN, LawConfig::name);
        let known = law_keys.iter().chain(&tcp_keys).map(String::as_str).filter(|k| *k != LAW);
        let hint = offer(key, known.chain([PROFILE]));
        let own = if law_keys.is_empty() { "none".to_owned() } else { law_keys.join(", ") };
        Err(format!(
            "unknown key \"{key}\"{hint} (parameters of {law}: {own}; expected also \
             {PROFILE} and the keys of [tcp] in a scenario)"
        ))
    }

    /// The name with its keys, as in results.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// True if the variant keeps law and recovery of the configuration (`own`).
    pub const fn is_own(&self) -> bool {
        self.law.is_none()
    }

    /// All accepted names: `own`, the recoveries, the laws.
    pub fn names() -> Vec<&'static str> {
        let recoveries = Recovery::ENTRIES.iter().map(|e| of_recovery(e.name));
        let laws = airtcp_congestion::laws().iter().map(|e| e.name);
        let mut names = vec![OWN];
        for name in recoveries.chain(laws) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The configuration of this variant on top of `base`.
    ///
    /// # Errors
    /// The key whose value is invalid with this configuration, and what is accepted.
    pub fn apply(&self, base: &TcpConfig) -> Result<TcpConfig, VariantError> {
        let refuse = |message| VariantError { variant: self.label.clone(), message };
        let config = self.merged(base).map_err(refuse)?;
        config.validate().map_err(|e: ConfigError| refuse(e.to_string()))?;
        Ok(config)
    }

    fn merged(&self, base: &TcpConfig) -> Result<TcpConfig, String> {
        let base = self.profile.map_or_else(|| base.clone(), TcpConfig::profile);
        let mut tree = object(&base);
        if let Some(law) = &self.law {
            let kept = base.congestion.name() == law.name();
            let start = if kept { object(&base.congestion) } else { object(law) };
            tree.insert(LAW.into(), Value::Object(filled::<LawConfig>(start, &self.of_law)?));
        }
        if let Some(recovery) = self.of_tcp.get(RECOVERY).and_then(Value::as_str) {
            let sack = Recovery::named(recovery).is_none_or(Recovery::is_selective);
            tree.insert("sack".into(), Value::Bool(sack));
            if !sack {
                tree.insert("dsack".into(), Value::Bool(false));
            }
        }
        let tree = filled::<TcpConfig>(tree, &self.of_tcp)?;
        serde_json::from_value(Value::Object(tree)).map_err(|e| e.to_string())
    }
}

/// The name of the variant that has Reno's law with this recovery.
fn of_recovery(name: &'static str) -> &'static str {
    RENAMED.iter().find(|(recovery, _)| *recovery == name).map_or(name, |(_, variant)| variant)
}

/// A table with `keys` set one by one and checked each time, so that an error names its key.
fn filled<T: DeserializeOwned>(
    mut table: Map<String, Value>,
    keys: &Map<String, Value>,
) -> Result<Map<String, Value>, String> {
    for (key, value) in keys {
        let text = value.as_str().unwrap_or_default();
        // As in a scenario: a number or a boolean if it parses as one, otherwise text.
        let literal = serde_json::from_str(text).ok().filter(|v: &Value| !v.is_object());
        let absent = (text == "none").then_some(Value::Null);
        let mut refusal = None;
        let candidates = literal.into_iter().chain(absent).chain([value.clone()]);
        let taken = candidates.into_iter().any(|candidate| {
            table.insert(key.clone(), candidate);
            let attempt = serde_json::from_value::<T>(Value::Object(table.clone()));
            if let Err(e) = &attempt {
                refusal.get_or_insert_with(|| reworded(&e.to_string()));
            }
            attempt.is_ok()
        });
        if !taken {
            return Err(format!("{key}={text}: {}", refusal.unwrap_or_default()));
        }
    }
    Ok(table)
}

/// A configuration as a table, which it is since configurations are structures of named fields.
fn object(config: &impl serde::Serialize) -> Map<String, Value> {
    match serde_json::to_value(config) {
        Ok(Value::Object(table)) => table,
        _ => Map::new(),
    }
}

/// Names of a law's own keys.
fn law_keys(law: &LawConfig) -> Vec<String> {
    match law {
        LawConfig::External(law) => law.keys().keys().cloned().collect(),
        law => parameters(law.name()),
    }
}

fn parameters(law: &str) -> Vec<String> {
    let schema = schema_for!(LawConfig).to_value();
    let table = find(&schema, &|v| v.pointer("/properties/law/const") == Some(&Value::from(law)));
    let Some(table) = table else { return Vec::new() };
    let inner = table
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|r| schema.pointer(r.trim_start_matches('#')));
    let mut names = properties(table);
    names.extend(inner.map(properties).unwrap_or_default());
    names.retain(|name| name != "law");
    names
}

/// The first value inside `value`, itself included, for which `wanted` holds.
fn find<'a>(value: &'a Value, wanted: &dyn Fn(&Value) -> bool) -> Option<&'a Value> {
    if wanted(value) {
        return Some(value);
    }
    match value {
        Value::Array(items) => items.iter().find_map(|v| find(v, wanted)),
        Value::Object(table) => table.values().find_map(|v| find(v, wanted)),
        _ => None,
    }
}

/// Names of the properties of an object's schema.
fn properties(schema: &Value) -> Vec<String> {
    let table = schema.get("properties").and_then(Value::as_object);
    table.map(|t| t.keys().cloned().collect()).unwrap_or_default()
}

/// The most similar names, as part of a sentence.
fn offer<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let offered: Vec<String> =
        near(word, known).into_iter().take(OFFERED).map(|n| format!("\"{n}\"")).collect();
    if offered.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", offered.join(" or "))
    }
}

#[cfg(test)]
mod tests;

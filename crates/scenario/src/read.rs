//! Reads a [`Scenario`] from TOML text.
//!
//! The text becomes a tree. On the tree, shorthands are expanded: the keys of a link's forward direction
//! beside the link's own, a TCP profile with overrides, `--set` from the command line. serde then
//! deserializes the tree strictly. The line of an error is found from its path.

use airtcp_probe::{nearest, reworded, unknown_name};
use airtcp_transport::tcp::{Profile, TcpConfig, Variant, VariantError};
use serde_json::{Map, Value};

use crate::model::LINK_KEYS;
use crate::steps::{Step, steps};
use crate::{
    FlowSpec, Scenario, ScenarioError, TransportKind, default_flows, error_key, names, numbers,
    placeholders, tables, toml_limits,
};

/// Reads a scenario.
///
/// Errors name the file as `name`. `overrides` are pairs of path and value such as
/// `("links[0].rate", "20 Mb/s")`, applied in order before the checks.
///
/// # Errors
/// Wrong syntax, unknown keys, wrong units, wrong types.
pub fn read(
    text: &str,
    name: &str,
    overrides: &[(String, String)],
) -> Result<Scenario, ScenarioError> {
    Source::new(text, name)?.scenario(overrides)
}

/// The text of a scenario, parsed once to be read with several sets of overrides.
#[derive(Debug, Clone)]
pub struct Source {
    text: String,
    name: String,
    tree: Value,
    /// Overrides that are in the tree, the last of each path.
    given: Vec<(String, String)>,
    /// Put into every TCP flow, after the overrides.
    tcp: Option<Variant>,
}

impl Source {
    /// Parses a text. Errors name the file as `name`.
    ///
    /// # Errors
    /// Wrong syntax.
    pub fn new(text: &str, name: &str) -> Result<Self, ScenarioError> {
        toml_limits::parsable(text, name)?;
        let tree = parse(text).map_err(|e| e.located(name, text))?;
        let (text, name) = (text.to_owned(), name.to_owned());
        Ok(Self { text, name, tree, given: Vec::new(), tcp: None })
    }

    /// The same, with this TCP in every TCP flow.
    #[must_use]
    pub fn with_tcp(self, tcp: Option<Variant>) -> Self {
        Self { tcp, ..self }
    }

    /// The scenario with overrides, as [`read`] returns it.
    ///
    /// # Errors
    /// As for [`read`].
    pub fn scenario(&self, overrides: &[(String, String)]) -> Result<Scenario, ScenarioError> {
        let place = |e: ScenarioError| self.locate(e, overrides);
        let mut tree = self.overridden(overrides)?;
        expand(&mut tree).map_err(place)?;
        let mut scenario: Scenario = error_key::deserialize(&tree).map_err(|error| {
            let path = error_key::path_of(&mut tree, &error);
            let explained = tables::list_for_table(&mut tree, &path)
                .or_else(|| numbers::error(&mut tree, &path, &error))
                .or_else(|| names::error(&mut tree, &path, &error));
            place(explained.unwrap_or_else(|| explain(&path, &error.1)))
        })?;
        tables::refuse_lists(&tree, &scenario).map_err(place)?;
        if let Some(tcp) = &self.tcp {
            put(tcp, &mut scenario).map_err(place)?;
        }
        Ok(scenario)
    }

    /// The source with overrides in it for good, which [`scenario`](Self::scenario) checks. Errors of their values
    /// name them.
    ///
    /// # Errors
    /// An override of a place that there is not.
    pub fn with(&self, overrides: &[(String, String)]) -> Result<Self, ScenarioError> {
        let tree = self.overridden(overrides)?;
        let mut given = self.given.clone();
        given.retain(|(path, _)| overrides.iter().all(|(other, _)| other != path));
        given.extend_from_slice(overrides);
        Ok(Self { tree, given, ..self.clone() })
    }

    fn overridden(&self, overrides: &[(String, String)]) -> Result<Value, ScenarioError> {
        let mut tree = self.tree.clone();
        for (path, value) in overrides {
            if default_flows::are_meant(&tree, path) {
                default_flows::write(&mut tree, self.default_flows(overrides));
            }
            set(&mut tree, path, value).map_err(|e| self.locate(e, overrides))?;
        }
        Ok(tree)
    }

    /// The flows of a scenario without any, after the overrides of everything else. None if an override is wrong,
    /// which reading the scenario reports.
    fn default_flows(&self, overrides: &[(String, String)]) -> Vec<FlowSpec> {
        let mut tree = self.tree.clone();
        for (path, value) in overrides.iter().filter(|(path, _)| !default_flows::is_of_flow(path)) {
            if set(&mut tree, path, value).is_err() {
                return Vec::new();
            }
        }
        // The table `tcp` is for written flows, and makes no flows.
        if let Some(root) = tree.as_object_mut() {
            root.remove("tcp");
        }
        if expand(&mut tree).is_ok() { default_flows::of(tree) } else { Vec::new() }
    }

    /// The error with the override that gave the value, or else with the name of the file, and the line if the text
    /// contains the path.
    #[must_use]
    pub fn locate(&self, error: ScenarioError, overrides: &[(String, String)]) -> ScenarioError {
        error.given_by(overrides).given_by(&self.given).located(&self.name, &self.text)
    }
}

/// Puts a TCP into every TCP flow.
fn put(tcp: &Variant, scenario: &mut Scenario) -> Result<(), ScenarioError> {
    scenario.add_default_flow()?;
    let mut any = false;
    for (i, flow) in scenario.flows.iter_mut().enumerate() {
        if flow.transport == TransportKind::Tcp {
            let refuse =
                |e: VariantError| ScenarioError::at(format!("flows[{i}].tcp"), e.to_string());
            flow.tcp = tcp.apply(&flow.tcp).map_err(refuse)?;
            any = true;
        }
    }
    if any {
        return Ok(());
    }
    let label = tcp.label();
    Err(ScenarioError::at(
        "flows",
        format!("no flow is of TCP, into which \"{label}\" could be put"),
    ))
}

fn parse(text: &str) -> Result<Value, ScenarioError> {
    tree_of(text).map_err(|e| ScenarioError {
        line: e.span().map(|span| line_at(text, span.start)),
        ..ScenarioError::at("", syntax(e.message()))
    })
}

/// Rewords a message of the TOML parser.
fn syntax(message: &str) -> String {
    if message.contains("number out of range") {
        return format!(
            "a number is out of range: expected whole numbers from {} to {}",
            i64::MIN,
            u64::MAX
        );
    }
    format!("not valid TOML: {}", reworded(message))
}

/// The tree of a text, with placeholders for dates and for numbers that are not finite.
fn tree_of(text: &str) -> Result<Value, toml::de::Error> {
    let mut tree = toml::from_str(text)?;
    placeholders::replace_dates(&mut tree);
    if text.contains("nan") || text.contains("inf") {
        placeholders::replace_not_finite(&mut tree, &toml::Value::Table(toml::from_str(text)?));
    }
    Ok(tree)
}

/// Rewords serde's message, and adds the nearest valid name or what is accepted.
fn explain(path: &str, message: &str) -> ScenarioError {
    let mut quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    // A link's table may also contain the keys of its forward direction.
    let of_link = path.rsplit_once('.').is_some_and(|(parent, key)| {
        parent.starts_with("links[")
            && parent.ends_with("].forward")
            && quoted.first() == Some(&key)
    });
    if of_link {
        quoted.extend(LINK_KEYS.iter().filter(|key| **key != "forward"));
    }
    let text = unknown_name(message, &quoted).unwrap_or_else(|| reworded(message));
    let text = tables::missing_tag(path, &text)
        .or_else(|| tables::expected_value(path, message))
        .unwrap_or(text);
    let path = if path == "." { "" } else { path };
    ScenarioError::at(path, text)
}

/// Expands the shorthands.
fn expand(tree: &mut Value) -> Result<(), ScenarioError> {
    let Some(root) = tree.as_object_mut() else { return Ok(()) };
    let common = root.remove("tcp");
    if let Some(Value::Array(links)) = root.get_mut("links") {
        links.iter_mut().for_each(gather_direction);
    }
    if common.is_some() && !root.contains_key("flows") {
        return Err(ScenarioError::at(
            "tcp",
            "applies to flows, and there is no [[flows]]; add one with from and to",
        ));
    }
    if let Some(Value::Array(flows)) = root.get_mut("flows") {
        for (i, flow) in flows.iter_mut().enumerate() {
            if let Some(flow) = flow.as_object_mut() {
                expand_tcp(flow, common.as_ref(), &format!("flows[{i}].tcp"))?;
            }
        }
    }
    Ok(())
}

/// Moves the keys of a link that describe its forward direction into `forward`.
fn gather_direction(link: &mut Value) {
    let Some(link) = link.as_object_mut() else { return };
    let flat: Vec<String> =
        link.keys().filter(|k| !LINK_KEYS.contains(&k.as_str())).cloned().collect();
    let moved: Vec<(String, Value)> =
        flat.into_iter().filter_map(|key| link.remove_entry(&key)).collect();
    if moved.is_empty() {
        return;
    }
    let forward = link.entry("forward").or_insert_with(|| Value::Object(Map::new()));
    if let Some(forward) = forward.as_object_mut() {
        forward.extend(moved);
    }
}

/// Merges the profile, the scenario's `[tcp]` and the flow's own table; later keys win.
fn expand_tcp(
    flow: &mut Map<String, Value>,
    common: Option<&Value>,
    path: &str,
) -> Result<(), ScenarioError> {
    let own = flow.get("tcp").cloned();
    let layers: Vec<(&str, Value)> =
        common.map(|c| ("tcp", c.clone())).into_iter().chain(own.map(|o| (path, o))).collect();
    if layers.is_empty() {
        return Ok(());
    }
    let mut profile = None;
    let mut keys = Map::new();
    for (at, layer) in layers {
        match layer {
            Value::String(name) => profile = Some((at.to_owned(), name)),
            Value::Object(mut table) => {
                if let Some(name) = table.remove("profile") {
                    let Value::String(name) = name else {
                        return Err(ScenarioError::at(format!("{at}.profile"), "is not a name"));
                    };
                    profile = Some((format!("{at}.profile"), name));
                }
                keys.extend(table);
            }
            _ => {
                return Err(ScenarioError::at(
                    at,
                    format!("expected a profile's name or a table (profiles: {})", profiles()),
                ));
            }
        }
    }
    let profile = match profile {
        None => Profile::Rfc,
        Some((at, name)) => named(&name).ok_or_else(|| unknown_profile(&at, &name))?,
    };
    let base = serde_json::to_value(TcpConfig::profile(profile))
        .map_err(|e| ScenarioError::at(path, e.to_string()))?;
    let Value::Object(mut merged) = base else { return Ok(()) };
    if same_law(keys.get("congestion"), merged.get("congestion")) {
        keys.remove("congestion");
    }
    merged.extend(keys);
    flow.insert("tcp".into(), Value::Object(merged));
    Ok(())
}

/// True if the flow only names the profile's congestion law: the profile's parameters then apply.
fn same_law(named: Option<&Value>, base: Option<&Value>) -> bool {
    let law = base.and_then(|b| b.get("law"));
    named.is_some_and(|named| named.is_string() && Some(named) == law)
}

fn named(name: &str) -> Option<Profile> {
    Profile::ALL.into_iter().find(|p| p.name() == name)
}

fn profiles() -> String {
    Profile::ALL.map(Profile::name).join(", ")
}

fn unknown_profile(path: &str, name: &str) -> ScenarioError {
    if airtcp_congestion::laws().iter().any(|law| law.name == name) {
        let message = format!(
            "\"{name}\" is a congestion law, and a TCP is given by a profile; write \
             {{ congestion = \"{name}\" }}, or {{ profile = \"linux\", congestion = \"{name}\" }} \
             (profiles: {})",
            profiles()
        );
        return ScenarioError::at(path, message);
    }
    let profile = nearest(name, Profile::ALL.map(Profile::name)).map(|n| format!("\"{n}\""));
    let law = || nearest(name, airtcp_congestion::laws().iter().map(|law| law.name));
    let close = profile.or_else(|| law().map(|n| format!("{{ congestion = \"{n}\" }}")));
    let hint = close.map(|n| format!("; did you mean {n}?")).unwrap_or_default();
    ScenarioError::at(
        path,
        format!("unknown TCP profile \"{name}\"{hint} (profiles: {})", profiles()),
    )
}

/// Why a key stands for no element of a list, and the path with its number in brackets.
fn in_a_list(path: &str, key: &str) -> String {
    let number = if key.parse::<usize>().is_ok() { key } else { "0" };
    let dotted = format!(".{key}");
    let is_whole = |end: usize| path[end..].is_empty() || path[end..].starts_with(['.', '[']);
    let ends = path.match_indices(&dotted).map(|(at, _)| (at, at + dotted.len()));
    let meant = match ends.into_iter().find(|(_, end)| is_whole(*end)) {
        Some((at, end)) => format!("{}[{number}]{}", &path[..at], &path[end..]),
        None => path.to_owned(),
    };
    if number == key {
        return format!("cannot be set: an element of a list has its number in brackets: {meant}");
    }
    format!(
        "cannot be set: \"{key}\" follows a list, whose elements are numbered, as in {meant}.{key}"
    )
}

/// Applies one override. The value is read as TOML if it is one, else taken as a string.
fn set(tree: &mut Value, path: &str, value: &str) -> Result<(), ScenarioError> {
    toml_limits::check_parts(steps(path).len())?;
    toml_limits::check(value)?;
    let value = tree_of(&format!("v = {value}"))
        .ok()
        .and_then(|mut t| t.as_object_mut()?.remove("v"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let mut at = tree;
    for step in steps(path) {
        at = match step {
            Step::Key(key) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                // If a key of a profile given by name is set, the name becomes a table.
                if key != "profile"
                    && let Value::String(profile) = &*at
                {
                    let mut table = Map::new();
                    table.insert("profile".into(), Value::String(profile.clone()));
                    *at = Value::Object(table);
                }
                if at.is_array() {
                    return Err(ScenarioError::at(path, in_a_list(path, key)));
                }
                let Some(table) = at.as_object_mut() else {
                    return Err(ScenarioError::at(
                        path,
                        format!("cannot be set: \"{key}\" is not inside a table"),
                    ));
                };
                table.entry(key).or_insert(Value::Null)
            }
            Step::Index(n) => {
                let len = at.as_array().map_or(0, Vec::len);
                at.get_mut(n).ok_or_else(|| {
                    ScenarioError::at(
                        path,
                        format!("cannot be set: there is no element {n} (found {len})"),
                    )
                })?
            }
        };
    }
    *at = value;
    Ok(())
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|b| **b == b'\n').count()
}

impl ScenarioError {
    /// The same error with the file's name and, if the text contains the path, the line. A path to a whole table
    /// loses the dot at its end.
    #[must_use]
    pub fn located(self, file: &str, text: &str) -> Self {
        Self {
            line: match self.given {
                Some(_) => None,
                None => self.line.or_else(|| line_of(text, &self.path)),
            },
            path: self.path.trim_end_matches('.').replace(".forward.", ".").replace(".forward", ""),
            file: file.to_owned(),
            ..self
        }
    }
}

/// Line of the deepest part of `path` that the text contains.
fn line_of(text: &str, path: &str) -> Option<usize> {
    use toml::de::{DeTable, DeValue};
    let table = DeTable::parse(text).ok()?;
    let mut line = None;
    let mut at: Option<&DeValue<'_>> = None;
    let root = table.get_ref();
    for step in steps(path) {
        let next = match (step, at) {
            (Step::Key("forward"), _) => continue,
            (Step::Key(key), None) => root.get(key),
            (Step::Key(key), Some(DeValue::Table(t))) => t.get(key),
            (Step::Index(n), Some(DeValue::Array(a))) => a.get(n),
            _ => None,
        };
        let Some(value) = next else { break };
        line = Some(line_at(text, value.span().start));
        at = Some(value.get_ref());
    }
    line
}

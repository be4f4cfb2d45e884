//! What `nft -j list ruleset` and `nft list flowtables` print.

use serde_json::Value;

use super::class::Class;
use super::device::Device;
use super::ruleset::{PURE_ACK, SYN_FIN_RST};

/// What the ruleset of the machine says of a device.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rules {
    /// Whether the table of the device has its chain at the egress of the device.
    pub hooked: bool,
    /// The user priority that the rules set, if it is one of a class.
    pub class: Option<Class>,
    /// Pure ACKs that were raised.
    pub pure_ack: u64,
    /// SYN, FIN and RST that were raised.
    pub syn_fin_rst: u64,
    /// Tables with a later chain at the same egress that sets a priority again.
    pub overruled_by: Vec<String>,
}

impl Rules {
    /// All packets that were raised.
    pub fn raised(&self) -> u64 {
        self.pure_ack.saturating_add(self.syn_fin_rst)
    }
}

/// Reads what `nft -j list ruleset` and `nft list ruleset` print; none if the former is not JSON of nft.
///
/// The text tells the devices of a chain: nft 1.0.6 leaves them out of its JSON.
pub fn rules(json: &str, plain: &str, device: &Device) -> Option<Rules> {
    let document: Value = serde_json::from_str(json).ok()?;
    let all = document.get("nftables")?.as_array()?;
    let table = device.table();
    let tables = at_egress(plain, device);
    let mut rules = Rules { hooked: tables.contains(&table.as_str()), ..Rules::default() };
    for of in all {
        if let Some(counter) = of.get("counter").filter(|c| in_table(c, &table)) {
            let packets = counter.get("packets").and_then(Value::as_u64).unwrap_or(0);
            match text(counter, "name") {
                Some(PURE_ACK) => rules.pure_ack = packets,
                Some(SYN_FIN_RST) => rules.syn_fin_rst = packets,
                _ => {}
            }
        }
        if let Some(rule) = of.get("rule").filter(|r| in_table(r, &table)) {
            rules.class = rules.class.or_else(|| priority(rule).and_then(class_of));
        }
    }
    rules.overruled_by = later(all, &tables, &table);
    Some(rules)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn in_table(value: &Value, table: &str) -> bool {
    text(value, "family") == Some("netdev") && text(value, "table") == Some(table)
}

/// Tables with a chain at the egress of a device: lines such as `type filter hook egress device "wlan0" priority 0`.
fn at_egress<'a>(plain: &'a str, device: &Device) -> Vec<&'a str> {
    let (mut found, mut table) = (Vec::new(), None);
    for line in plain.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("table ") {
            table = rest.strip_prefix("netdev ").and_then(|r| r.split_whitespace().next());
        }
        let Some((_, devices)) = line.split_once(" hook egress device") else { continue };
        let devices = devices.split(" priority ").next().unwrap_or_default();
        let mut names = devices.split(|c: char| c.is_whitespace() || "\"{},=".contains(c));
        if let Some(table) = table.filter(|_| names.any(|name| name == device.as_str())) {
            found.push(table);
        }
    }
    found
}

/// The value that a rule sets as priority, if it sets one.
fn priority(rule: &Value) -> Option<&Value> {
    rule.get("expr")?.as_array()?.iter().find_map(|statement| {
        let mangle = statement.get("mangle")?;
        let key = mangle.get("key")?.get("meta")?.get("key")?.as_str()?;
        (key == "priority").then(|| mangle.get("value")).flatten()
    })
}

/// nft prints a priority as two hexadecimal numbers with a colon, or as one number.
fn class_of(value: &Value) -> Option<Class> {
    let number = match value {
        Value::String(text) => {
            let (major, minor) = text.split_once(':')?;
            let part = |of: &str| u16::from_str_radix(of, 16).ok();
            (u32::from(part(major)?) << 16) | u32::from(part(minor)?)
        }
        other => u32::try_from(other.as_u64()?).ok()?,
    };
    [Class::Voice, Class::Video].into_iter().find(|class| class.priority() == number)
}

/// Other tables at this egress with a chain of priority 0 or later, and a rule that sets a priority.
fn later(all: &[Value], tables: &[&str], own: &str) -> Vec<String> {
    let sets = |table: &str| {
        all.iter()
            .filter_map(|of| of.get("rule"))
            .any(|r| in_table(r, table) && priority(r).is_some())
    };
    let after = |table: &str| {
        let hooked = |c: &&Value| in_table(c, table) && text(c, "hook") == Some("egress");
        let mut priorities = all.iter().filter_map(|of| of.get("chain")).filter(hooked);
        priorities.any(|c| c.get("prio").and_then(Value::as_i64).unwrap_or(0) >= 0)
    };
    let of = tables.iter().filter(|table| **table != own && after(table) && sets(table));
    of.map(|table| (*table).to_owned()).collect()
}

/// Names of flow tables that the hardware takes over (`flags offload`), in the text of `nft list flowtables`.
///
/// Packets of a flow in one of these may pass the device without the kernel. Flow tables of software send their packets
/// through the egress as usual.
pub fn offloaded(flowtables: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut name = "";
    for line in flowtables.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("flowtable ") {
            name = rest.split_whitespace().next().unwrap_or_default();
        }
        let flags = line.split(';').map(str::trim).filter_map(|part| part.strip_prefix("flags "));
        if flags.into_iter().any(|f| f.split([',', ' ']).any(|flag| flag == "offload")) {
            found.push(name.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nft 1.0.6 prints it, without the rules that say nothing here.
    const JSON: &str = r#"{"nftables": [{"metainfo": {"version": "1.0.6"}},
        {"counter": {"family": "netdev", "name": "syn_fin_rst", "table": "airtcp_ftca_wlan0", "packets": 4, "bytes": 1}},
        {"counter": {"family": "netdev", "name": "pure_ack", "table": "airtcp_ftca_wlan0", "packets": 70, "bytes": 1}},
        {"chain": {"family": "netdev", "table": "airtcp_ftca_wlan0", "name": "pick", "hook": "egress", "prio": 0}},
        {"rule": {"family": "netdev", "table": "airtcp_ftca_wlan0", "chain": "raise",
          "expr": [{"mangle": {"key": {"meta": {"key": "priority"}}, "value": "0:106"}}]}},
        {"chain": {"family": "netdev", "table": "other", "name": "c", "hook": "egress", "prio": 10}},
        {"rule": {"family": "netdev", "table": "other", "chain": "c",
          "expr": [{"mangle": {"key": {"meta": {"key": "priority"}}, "value": 3}}]}}]}"#;
    const PLAIN: &str = "table netdev airtcp_ftca_wlan0 {\n\tchain pick {\n\t\ttype filter hook egress device \
        \"wlan0\" priority filter; policy accept;\n\t}\n}\ntable netdev other {\n\tchain c {\n\t\ttype filter hook \
        egress devices = { \"eth0\", \"wlan0\" } priority 10; policy accept;\n\t}\n}\n";

    fn read(json: &str, plain: &str) -> Option<Rules> {
        rules(json, plain, &"wlan0".parse().unwrap())
    }

    #[test]
    fn the_listing_of_the_rules_is_read() {
        let rules = read(JSON, PLAIN).unwrap();
        assert!(rules.hooked);
        assert_eq!(rules.class, Some(Class::Voice));
        assert_eq!((rules.pure_ack, rules.syn_fin_rst, rules.raised()), (70, 4, 74));
        assert_eq!(rules.overruled_by, ["other"]);
    }

    #[test]
    fn rules_at_another_device_overrule_nothing_and_are_not_ours() {
        let other = PLAIN.replace("{ \"eth0\", \"wlan0\" }", "{ \"eth0\" }");
        assert!(read(JSON, &other).unwrap().overruled_by.is_empty());
        assert!(
            !read(JSON, &PLAIN.replace("device \"wlan0\"", "device \"wlan1\"")).unwrap().hooked
        );
    }

    #[test]
    fn priorities_are_read_as_text_and_as_numbers() {
        assert_eq!(class_of(&Value::from("0:105")), Some(Class::Video));
        assert_eq!(class_of(&Value::from(262)), Some(Class::Voice));
        for other in ["", ":", "0:", "1:106", "x:y", "fffff:1", "none"] {
            assert_eq!(class_of(&Value::from(other)), None, "{other}");
        }
    }

    #[test]
    fn hostile_listings_are_refused_or_empty() {
        for json in ["", "{", "[]", "null", r#"{"nftables": 1}"#] {
            assert_eq!(read(json, PLAIN), None);
        }
        let odd = r#"{"nftables": [1, null, {"chain": 3}, {"counter": {"packets": -1}}, {"rule": {"expr": {}}}]}"#;
        assert_eq!(read(odd, "table netdev\n hook egress device").unwrap(), Rules::default());
    }

    #[test]
    fn flow_tables_in_hardware_are_found() {
        let text = "table inet fw4 {\n\tflowtable ft {\n\t\thook ingress priority filter\n\
                    \t\tdevices = { lan1, wlan0 }\n\t\tflags offload;\n\t}\n\tflowtable soft {\n\t\tflags counter\n\t}\n}\n";
        assert_eq!(offloaded(text), ["ft"]);
        assert!(offloaded("table inet fw4 {\n}\n").is_empty());
    }
}

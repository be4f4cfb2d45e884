//! Changes of values in the text of a scenario. Comments and the order of keys stay.

use airtcp_scenario::{ScenarioError, Step, parsable, steps};
use toml_edit::{DocumentMut, InlineTable, Item, TableLike, Value};

/// The text with each value of `set` at its path. A value is TOML, or else a string; without one, the key is
/// removed. Paths are those of `airtcp run --set`.
pub(crate) fn edited(
    text: &str,
    set: &[(String, Option<String>)],
) -> Result<String, ScenarioError> {
    parsable(text, "scenario")?;
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| {
        ScenarioError::at("", format!("not valid TOML: {}", e.message()))
    })?;
    for (path, value) in set {
        let value = value.as_deref().map(value_of);
        put(document.as_table_mut(), &steps(path), value)
            .map_err(|why| ScenarioError::at(path, why))?;
    }
    Ok(document.to_string())
}

/// A value from its TOML text, or the text itself as a string.
fn value_of(text: &str) -> Value {
    text.parse().unwrap_or_else(|_| Value::from(text))
}

fn put(table: &mut dyn TableLike, steps: &[Step<'_>], value: Option<Value>) -> Result<(), String> {
    let [Step::Key(key), rest @ ..] = steps else {
        return Err("cannot be set: the path needs a key here".to_owned());
    };
    match rest {
        [] => {
            replace(table, key, value);
            Ok(())
        }
        [Step::Index(n), rest @ ..] => {
            let item = table.get_mut(key);
            let element = item
                .and_then(|item| element(item, *n))
                .ok_or_else(|| format!("cannot be set: there is no element {n} of \"{key}\""))?;
            put(element, rest, value)
        }
        [Step::Key(next), ..] => {
            // If a key of a profile given by name is set, the name becomes a table.
            let profile = table.get(key).and_then(Item::as_str).map(ToOwned::to_owned);
            match profile {
                Some(profile) if *next != "profile" => {
                    let named = InlineTable::from_iter([("profile", profile)]);
                    replace(table, key, Some(named.into()));
                }
                None if table.get(key).is_none() && value.is_none() => return Ok(()),
                None if table.get(key).is_none() => {
                    replace(table, key, Some(InlineTable::new().into()));
                }
                _ => {}
            }
            let inner = table
                .get_mut(key)
                .and_then(Item::as_table_like_mut)
                .ok_or_else(|| format!("cannot be set: \"{next}\" is not inside a table"))?;
            put(inner, rest, value)
        }
    }
}

/// Element `n` of an array of tables, in either form.
fn element(item: &mut Item, n: usize) -> Option<&mut dyn TableLike> {
    match item {
        Item::ArrayOfTables(tables) => Some(tables.get_mut(n)?),
        Item::Value(Value::Array(array)) => Some(array.get_mut(n)?.as_inline_table_mut()?),
        _ => None,
    }
}

/// Puts a value in place of the one that is there, with the spaces and the comment around it.
fn replace(table: &mut dyn TableLike, key: &str, value: Option<Value>) {
    let Some(mut value) = value else {
        table.remove(key);
        return;
    };
    let Some(item) = table.get_mut(key) else {
        table.insert(key, Item::Value(value));
        return;
    };
    if let Item::Value(old) = item {
        *value.decor_mut() = old.decor().clone();
    }
    // The key keeps the comment above it.
    *item = Item::Value(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A link.\nduration = \"10 s\" # short\n\n[[links]]\nfrom = \"a\"\nto = \"b\"\n\
                        loss = { model = \"bernoulli\", probability = 0.01 }\n\n[[flows]]\nfrom = \"a\"\n\
                        to = \"b\"\ntcp = \"linux\"\n";

    fn set(pairs: &[(&str, Option<&str>)]) -> String {
        let pairs: Vec<_> =
            pairs.iter().map(|(path, v)| ((*path).to_owned(), v.map(str::to_owned))).collect();
        edited(TEXT, &pairs).unwrap()
    }

    #[test]
    fn comments_stay_and_names_become_tables() {
        let text = set(&[
            ("duration", Some("\"20 s\"")),
            ("seed", Some("7")),
            ("links[0].rate", Some("2 Mb/s")),
            ("links[0].loss.probability", Some("0.5")),
            ("flows[0].tcp.congestion", Some("\"cubic\"")),
        ]);
        for part in [
            "# A link.\nduration = \"20 s\" # short\nseed = 7\n",
            "rate = \"2 Mb/s\"\n",
            "probability = 0.5 }",
            "tcp = { profile = \"linux\", congestion = \"cubic\" }",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn keys_are_removed() {
        assert!(!set(&[("links[0].loss", None)]).contains("loss"));
        assert_eq!(set(&[("links[0].queue.packets", None), ("seed", None)]), TEXT);
    }

    #[test]
    fn what_is_not_there_is_named() {
        for (path, part) in [
            ("links[1].rate", "there is no element 1 of \"links\""),
            ("duration.x", "needs"),
            ("[0]", "needs a key"),
            ("links[0].loss.model.x", "x"),
        ] {
            let pairs = [(path.to_owned(), Some("1".to_owned()))];
            match edited(TEXT, &pairs) {
                Err(e) => assert!(e.to_string().contains(part), "{path}: {e}"),
                // A text of one value becomes the profile of a table, which the reader then refuses.
                Ok(text) => assert!(text.contains("profile"), "{path}"),
            }
        }
    }

    /// An edited text and `--set` give the same scenario.
    #[test]
    fn the_same_as_overrides() {
        let pairs = [
            ("links[0].rate", "\"2 Mb/s\""),
            ("links[0].queue", "{ kind = \"red\", ecn = true }"),
            ("flows[0].tcp.ecn", "true"),
            ("flows[0].transport", "sliding"),
            ("replications", "3"),
        ]
        .map(|(path, value)| (path.to_owned(), value.to_owned()));
        let some: Vec<_> = pairs.iter().map(|(p, v)| (p.clone(), Some(v.clone()))).collect();
        let text = edited(TEXT, &some).unwrap();
        let read = |text: &str, set: &[(String, String)]| {
            serde_json::to_value(airtcp_scenario::read(text, "a.toml", set).unwrap()).unwrap()
        };
        assert_eq!(read(&text, &[]), read(TEXT, &pairs));
    }
}

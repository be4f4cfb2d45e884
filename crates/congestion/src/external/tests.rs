use super::*;
use crate::{LawConfig, Reno, RenoConfig};

#[derive(Debug)]
struct RenoMaker;

impl LawMaker for RenoMaker {
    fn make(&self, _: &Keys) -> Box<dyn CongestionControl> {
        Box::new(Reno::new(&RenoConfig::default()))
    }
}

fn outside(label: &str, keys: &[(&str, KeyValue)]) -> Outside {
    Outside {
        label: label.to_owned(),
        file: "my_law.py".to_owned(),
        sha256: "4be1".to_owned(),
        keys: keys.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        maker: Arc::new(RenoMaker),
    }
}

fn aimd() -> Outside {
    outside("Aimd", &[("a", KeyValue::Real(1.0)), ("quick", KeyValue::Flag(false))])
}

fn read(text: &str) -> Result<LawConfig, String> {
    serde_json::from_str(text).map_err(|e| e.to_string())
}

#[test]
fn only_an_offered_law_is_read() {
    let table = r#"{"external": "Aimd", "a": 2}"#;
    assert!(read(table).unwrap_err().contains("--law"));
    {
        let _offer = offer(vec![aimd()]).unwrap();
        let law = read(table).unwrap();
        assert_eq!(law.name(), "Aimd");
        let text = serde_json::to_string(&law).unwrap();
        assert_eq!(
            text,
            r#"{"external":"Aimd","file":"my_law.py","sha256":"4be1","a":2.0,"quick":false}"#
        );
        assert_eq!(read(&text).unwrap(), law);
        assert_ne!(read(r#"{"external": "aimd"}"#).unwrap(), law);
        assert_eq!(law.build().cwnd(), 1);
    }
    assert!(read(table).unwrap_err().contains("no law of your own"));
}

#[test]
fn what_is_wrong_is_named() {
    let _offer = offer(vec![aimd()]).unwrap();
    for (table, part) in [
        (r#"{"external": "Amid"}"#, "given are Aimd"),
        (r#"{"external": "Aimd", "b": 1}"#, "unknown key `b`"),
        (r#"{"external": "Aimd", "quik": true}"#, "did you mean \"quick\"?"),
        (r#"{"external": "Aimd", "a": "x"}"#, "expected a number"),
        (r#"{"external": "Aimd", "quick": 1}"#, "expected true or false"),
        (r#"{"external": "Aimd", "sha256": "77"}"#, "its source has changed"),
        (r#"{"external": 3}"#, "no law \"\""),
    ] {
        let message = read(table).unwrap_err();
        assert!(message.contains(part), "{table}: {message}");
    }
}

#[test]
fn a_name_is_free_and_plain() {
    for (laws, part) in [
        (vec![aimd(), outside("AIMD", &[])], "two laws"),
        (vec![outside("my law", &[])], "letters"),
        (vec![outside("A", &[("law", KeyValue::Whole(1))])], "\"law\""),
    ] {
        let message = offer(laws).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert!(offered().is_empty());
}

#[test]
fn an_offer_ends_where_it_began() {
    let first = offer(vec![aimd()]).unwrap();
    let second = offer(vec![outside("Other", &[])]).unwrap();
    assert_eq!(offered(), ["Other"]);
    drop(second);
    assert_eq!(offered(), ["Aimd"]);
    let elsewhere = std::thread::spawn(offered).join().unwrap();
    assert!(elsewhere.is_empty(), "offered to this thread only");
    drop(first);
}

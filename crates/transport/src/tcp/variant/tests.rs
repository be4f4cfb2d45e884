use super::*;
use airtcp_congestion::{Growth, Needs, RenoConfig};
use airtcp_units::Span;

fn variant(text: &str) -> Variant {
    Variant::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

fn applied(text: &str, base: Profile) -> TcpConfig {
    variant(text).apply(&TcpConfig::profile(base)).unwrap_or_else(|e| panic!("{e}"))
}

fn refusal(text: &str) -> String {
    let parsed = Variant::parse(text);
    parsed.and_then(|v| v.apply(&TcpConfig::default())).unwrap_err().to_string()
}

#[test]
fn the_four_classics() {
    for (name, recovery) in [
        ("tahoe", Recovery::Tahoe),
        ("reno-nosack", Recovery::Reno),
        ("newreno", Recovery::NewReno),
        ("sack", Recovery::Sack),
    ] {
        for base in Profile::ALL {
            let config = applied(name, base);
            assert_eq!(config.recovery, recovery, "{name}");
            // Reno's law with the profile's parameters.
            assert_eq!(config.congestion, TcpConfig::profile(base).congestion, "{name}");
            assert_eq!(config.congestion.name(), "reno", "{name}");
            assert_eq!(config.sack, name == "sack", "{name}");
            assert!(config.sack || !config.dsack, "{name}");
            // Everything else is the profile's.
            let own = TcpConfig::profile(base);
            let TcpConfig { congestion, recovery, sack, dsack, .. } = own.clone();
            assert_eq!(TcpConfig { congestion, recovery, sack, dsack, ..config }, own, "{name}");
        }
    }
}

#[test]
fn laws_named_side_by_side_differ_in_the_law_alone() {
    for base in Profile::ALL {
        for law in LawConfig::all() {
            let config = applied(law.name(), base);
            assert_eq!(config.congestion.name(), law.name());
            assert_eq!((config.recovery, config.sack), (Recovery::Sack, true), "{}", law.name());
        }
        // Reno's law with SACK has two names.
        assert_eq!(applied("reno", base), applied("sack", base));
    }
    // No name stands for both a law and a recovery.
    let names = Variant::names();
    for (i, name) in names.iter().enumerate() {
        assert!(!names[..i].contains(name), "{name} occurs twice");
    }
    for entry in Recovery::ENTRIES {
        let law = airtcp_congestion::laws().iter().any(|e| e.name == of_recovery(entry.name));
        assert!(!law, "recovery {} is taken for a law", entry.name);
    }
}

#[test]
fn every_registered_law_and_recovery_has_a_name() {
    for law in LawConfig::all() {
        let config = applied(law.name(), Profile::Linux);
        assert_eq!(config.congestion.name(), law.name());
        assert_eq!(serde_json::to_value(config.recovery).unwrap(), RECOVERY_OF_LAWS);
        let mixed = applied(&format!("{}:recovery=newreno", law.name()), Profile::Linux);
        assert_eq!((mixed.recovery, mixed.sack), (Recovery::NewReno, false));
        // The law's parameters are accepted by name, and their values arrive.
        for (key, value) in object(&law) {
            assert!(
                key == "law" || parameters(law.name()).contains(&key),
                "{}: {key} = {value} is not in the schema",
                law.name()
            );
        }
    }
    for entry in Recovery::ENTRIES {
        assert_eq!(
            serde_json::to_value(applied(of_recovery(entry.name), Profile::Rfc).recovery).unwrap(),
            entry.name
        );
    }
    for name in Variant::names() {
        assert_eq!(variant(name).label(), name);
    }
}

#[test]
fn versions_are_laws_of_their_own() {
    for (name, law) in [("bbr", "bbr"), ("BBR:mss=1000", "bbr"), ("bbr1", "bbr1")] {
        assert_eq!(applied(name, Profile::Rfc).congestion.name(), law);
    }
    assert_eq!(variant("BBR:mss=1000").label(), "bbr:mss=1000");
    assert!(Variant::parse("").is_err() && Variant::parse("ren").is_err());
}

#[test]
fn own_changes_nothing() {
    for base in Profile::ALL {
        assert_eq!(applied("own", base), TcpConfig::profile(base));
    }
    assert_eq!(applied("own:recovery=newreno", Profile::Linux).recovery, Recovery::NewReno);
}

#[test]
fn keys_of_law_and_tcp() {
    let config = applied("newreno:growth=bytes:rto_min=200 ms:initial_window=10", Profile::Rfc);
    assert_eq!(config.congestion, LawConfig::Reno(RenoConfig { growth: Growth::Bytes }));
    assert_eq!(config.rto_min, Span::from_millis(200));
    assert_eq!(config.initial_window, Some(10));
    // The later value wins, and `none` makes a value absent.
    assert_eq!(applied("sack:mss=536:mss=1000", Profile::Rfc).mss, 1000);
    assert_eq!(applied("newreno:max_window=none", Profile::S1Mirage).max_window, None);
    let config = applied("newreno:profile=s2:rto_max=20 s", Profile::Rfc);
    assert_eq!((config.initial_window, config.rto_max), (Some(3), Span::from_secs(20)));
}

#[test]
fn the_laws_parameters_stay_if_the_law_does() {
    let bytes = LawConfig::Reno(RenoConfig { growth: Growth::Bytes });
    let base = TcpConfig { congestion: bytes.clone(), ..TcpConfig::default() };
    assert_eq!(variant("tahoe").apply(&base).unwrap().congestion, bytes);
    let other = variant("tahoe:growth=per-ack").apply(&base).unwrap();
    assert_eq!(other.congestion, LawConfig::default());
}

#[test]
fn names_in_capitals_and_with_spaces() {
    assert_eq!(variant(" NewReno ").label(), "newreno");
    assert_eq!(variant("SACK : rto_min = 1 s").label(), "sack:rto_min = 1 s");
}

#[test]
fn refusals_offer_what_is_near() {
    for (text, parts) in [
        ("newrno", &["\"newrno\"", "did you mean \"newreno\"", "accepted: own, tahoe"][..]),
        ("ren", &["did you mean \"reno\""]),
        ("", &["accepted: own"]),
        ("xyzzy", &["no law or recovery has this name (accepted:"]),
        (
            "reno:groth=bytes",
            &["unknown key \"groth\"", "\"growth\"", "parameters of reno: growth"],
        ),
        ("reno:rto_mim=1 s", &["\"rto_min\""]),
        ("reno:growth=bits", &["growth=bits", "\"per-ack\"", "unknown value \"bits\""]),
        ("reno:rto_min=1", &["rto_min=1", "string"]),
        ("reno:mss=lots", &["mss=lots", "a whole number, not \"lots\""]),
        ("vegas:alpha=-1", &["alpha=-1: expected a whole number from 0 to", "not -1"]),
        ("cubic:c=nan", &["c=nan: expected a number, not \"nan\""]),
        ("cubic:beta=3", &["unknown key \"beta\"", "did you mean \"beta_cubic\""]),
        ("reno:mss", &["expected KEY=VALUE", "\"mss\""]),
        ("reno:congestion=reno", &["unknown key \"congestion\""]),
        ("reno:profile=linus", &["no profile \"linus\"", "\"linux\""]),
        ("reno:recovery=sak", &["recovery=sak", "\"sack\""]),
        ("reno:mss=7", &["mss: 7 is out of range", "48"]),
        ("sack:sack=false", &["recovery", "needs `sack = true`"]),
    ] {
        let message = refusal(text);
        for part in parts {
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}

#[test]
fn laws_that_need_marks_declare_it() {
    let needs = |tcp: &str| applied(tcp, Profile::Rfc).needs();
    assert_eq!(needs("jersey"), Needs::MarkingQueue("jersey"));
    assert_eq!(needs("cubic:loss_response=ecn-only"), Needs::EcnMarks);
    for law in ["reno", "cubic", "bbr", "westwood+", "veno:loss_response=tp-lda"] {
        assert_eq!(needs(&format!("{law}:timestamps=true")), Needs::Nothing, "{law}");
    }
}

use super::*;
use crate::tcp::profile::Profile;

#[test]
fn profiles_are_valid_and_round_trip() {
    for profile in Profile::ALL {
        let config = TcpConfig::profile(profile);
        config.validate().unwrap();
        let text = toml::to_string(&config).unwrap();
        assert_eq!(toml::from_str::<TcpConfig>(&text).unwrap(), config, "{text}");
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<TcpConfig>(&json).unwrap(), config);
        assert_eq!(toml::Value::try_from(profile).unwrap().as_str(), Some(profile.name()));
    }
}

#[test]
fn refusals_name_the_key_and_what_is_accepted() {
    let bad = |f: &dyn Fn(&mut TcpConfig)| {
        let mut config = TcpConfig::default();
        f(&mut config);
        config.validate().unwrap_err().to_string()
    };
    let e = bad(&|c| c.mss = 0);
    assert!(e.contains("mss: 0") && e.contains("48 to"), "{e}");
    let e = bad(&|c| c.rto_max = Span::from_millis(1));
    assert!(e.contains("rto_max: 1 ms") && e.contains("1 s"), "{e}");
    let e = bad(&|c| c.sack = false);
    assert!(e.contains("recovery") && e.contains("newreno"), "{e}");
    let e = bad(&|c| c.loss_response = LossResponse::TpLda);
    assert!(e.contains("loss_response") && e.contains("`timestamps = true`"), "{e}");
    let e = bad(&|c| c.loss_differentiation.threshold = 2.0);
    assert!(e.contains("loss_differentiation: threshold: 2"), "{e}");
    let e = bad(&|c| c.receive_buffer = Bytes(0));
    assert!(e.contains("receive_buffer"), "{e}");
    let e = toml::from_str::<TcpConfig>("rto_mim = \"1 s\"").unwrap_err().to_string();
    assert!(e.contains("rto_mim"), "{e}");
    let e = bad(&|c| c.accecn = true);
    assert!(e.contains("accecn: true needs `ecn = true`"), "{e}");
    let e = bad(&|c| c.ect = Ect::Ect1);
    assert!(e.contains("ect: \"ect1\" needs `accecn = true`"), "{e}");
    let e = bad(&|c| c.pacing_shift = Some(32));
    assert!(e.contains("pacing_shift: 32") && e.contains("0 to 31"), "{e}");
    let e = toml::from_str::<TcpConfig>("tsq = 5").unwrap_err().to_string();
    assert!(e.contains("true, false or a length"), "{e}");
    let e = toml::from_str::<TcpConfig>("tsq = \"fast\"").unwrap_err().to_string();
    assert!(e.contains("1500 B") && e.contains("true and false"), "{e}");
    let e = toml::from_str::<TcpConfig>("rto_min = 1").unwrap_err().to_string();
    assert!(e.contains("string"), "{e}");
}

#[test]
fn the_schema_documents_every_key() {
    let schema = schemars::schema_for!(TcpConfig);
    let value = serde_json::to_value(&schema).unwrap();
    let keys = value["properties"].as_object().unwrap();
    // A receiver that follows RFC 5681 is left out of documents, and so is ECN feedback that is not accurate.
    let misbehaviour = Misbehaviour { ack_division: 2, optimistic_acks: 0 };
    let config = TcpConfig { misbehaviour, accecn: true, ect: Ect::Ect1, ..TcpConfig::default() };
    let config = serde_json::to_value(config).unwrap();
    assert_eq!(keys.len(), config.as_object().unwrap().len());
    for (key, entry) in keys {
        assert!(entry["description"].as_str().is_some_and(|d| d.len() > 10), "{key}");
    }
    assert!(value.to_string().contains("growth"), "the schema contains the parameters of the laws");
}

#[test]
fn initial_window_of_rfc_5681() {
    let config = TcpConfig::default();
    for (mss, bytes) in [(536, 2144), (1095, 4380), (1096, 3288), (1460, 4380), (4312, 8624)] {
        assert_eq!(config.initial_window_bytes(mss), bytes);
    }
}

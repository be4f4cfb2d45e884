//! The header describes the structures as they are: a C program prints their sizes and offsets.

use std::fmt::Write as _;
use std::process::Command;

use crate::abi::{Ack, Episode, HOST, Host, Idle, LAW, LAW_FUNCTIONS, Lost, RawLaw, Sent, State};

/// Name of the field that a declaration in C declares.
fn field(declared: &str) -> &str {
    let of_function = declared.split_once("(*").and_then(|(_, rest)| rest.split_once(')'));
    let plain = || declared.rsplit([' ', '*']).next().unwrap_or_default();
    of_function.map_or_else(plain, |(name, _)| name)
}

#[allow(clippy::print_stdout, reason = "says why it is skipped")]
#[test]
fn the_header_has_the_layout_of_the_structures() {
    let folder = std::env::temp_dir().join(format!("airtcp-laws-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("airtcp_law.h"), crate::header()).unwrap();
    let mut program = String::from(
        "#include \"airtcp_law.h\"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n",
    );
    let mut expected = String::new();
    let mut structure = |name: &str, size: usize, fields: &[(&str, usize)]| {
        let _ = writeln!(program, "printf(\"{name} %zu\\n\", sizeof({name}));");
        let _ = writeln!(expected, "{name} {size}");
        for (field, at) in fields {
            let _ = writeln!(program, "printf(\"{field} %zu\\n\", offsetof({name}, {field}));");
            let _ = writeln!(expected, "{field} {at}");
        }
    };
    structure("airtcp_state", size_of::<State>(), &State::offsets());
    structure("airtcp_ack", size_of::<Ack>(), &Ack::offsets());
    structure("airtcp_congestion", size_of::<Episode>(), &Episode::offsets());
    structure("airtcp_sent", size_of::<Sent>(), &Sent::offsets());
    structure("airtcp_lost", size_of::<Lost>(), &Lost::offsets());
    structure("airtcp_idle", size_of::<Idle>(), &Idle::offsets());
    let pointers = |fields: &[(&'static str, &str)], first: usize, from: usize| {
        // Behind the two numbers every field has the size of a pointer.
        let places = fields.iter().enumerate().map(|(i, (declared, _))| {
            let at = if i < first { i * 4 } else { from + (i - first) * 8 };
            (field(declared), at)
        });
        places.collect::<Vec<_>>()
    };
    structure("airtcp_host", size_of::<Host>(), &pointers(&HOST, 2, 8));
    structure("airtcp_law", size_of::<RawLaw>(), &pointers(&LAW, 2, 8));
    program.push_str("return 0; }\n");
    std::fs::write(folder.join("layout.c"), program).unwrap();
    let built = Command::new("cc")
        .args(["-Wall", "-Werror", "layout.c", "-o", "layout"])
        .current_dir(&folder)
        .status();
    let Ok(status) = built else {
        println!("skipped: there is no C compiler");
        return;
    };
    assert!(status.success(), "the header is C");
    let printed = Command::new(folder.join("layout")).output().unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(printed, expected);
}

#[test]
fn lists_of_functions_have_the_names_of_the_header() {
    let functions = |of: &[(&'static str, &str)]| -> Vec<&str> {
        of.iter().filter(|(declared, _)| declared.contains("(*")).map(|(d, _)| field(d)).collect()
    };
    assert_eq!(functions(&LAW), LAW_FUNCTIONS);
    assert_eq!(functions(&HOST), crate::addresses().map(|(name, _)| name));
}

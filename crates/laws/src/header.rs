//! The header for laws in C, written from the definitions of the interface.

use std::fmt::Write as _;

use crate::abi::{ABI, Ack, Episode, HOST, Idle, LAW, Lost, NAMES, Sent, State};

/// The text of `airtcp_law.h`.
pub fn header() -> String {
    let mut text = String::from(
        "/* A congestion law for airtcp. Generated from crates/laws: do not edit.\n\
         \x20*\n\
         \x20* A shared library exports airtcp_law_v1, which fills the table and returns 0:\n\
         \x20*\n\
         \x20*   cc -O2 -fPIC -shared -ffp-contract=off my_law.c -o my_law.so\n\
         \x20*   airtcp compare link.toml --tcp ./my_law.so,cubic\n\
         \x20*\n\
         \x20* Sizes are in bytes, times in seconds, rates in bits per second. NAN stands for none.\n\
         \x20* A law keeps no memory outside airtcp_state, and uses no clock and no random numbers but\n\
         \x20* those of airtcp_host. cbrt, exp, log and pow of airtcp_host have the same result on every\n\
         \x20* machine; those of the C library have not. */\n\
         #ifndef AIRTCP_LAW_H\n#define AIRTCP_LAW_H\n\n#include <math.h>\n#include <stdint.h>\n\n",
    );
    let _ = writeln!(text, "#define AIRTCP_ABI {ABI}u\n");
    for (name, value, meaning) in NAMES {
        let _ = writeln!(text, "#define {name} {value}u /* {meaning} */");
    }
    text.push_str("\ntypedef struct airtcp_host airtcp_host;\n");
    let owned = |fields: &[(&str, &str)]| -> Vec<(String, String)> {
        fields.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    };
    structure(&mut text, "airtcp_state", &State::about(), &State::fields());
    structure(&mut text, "airtcp_ack", &Ack::about(), &Ack::fields());
    structure(&mut text, "airtcp_congestion", &Episode::about(), &Episode::fields());
    structure(&mut text, "airtcp_sent", &Sent::about(), &Sent::fields());
    structure(&mut text, "airtcp_lost", &Lost::about(), &Lost::fields());
    structure(&mut text, "airtcp_idle", &Idle::about(), &Idle::fields());
    let about = "Functions that a law may call: parts of the base, and mathematics.";
    let _ = writeln!(text, "\n/* {about} */\nstruct airtcp_host {{");
    fields(&mut text, &owned(&HOST));
    text.push_str("};\n");
    let about = "The table that a library fills. A function that is null is the base's.";
    structure(&mut text, "airtcp_law", about, &owned(&LAW));
    text.push_str(
        "\n/* The only exported function. The table comes with abi and size filled in, and the rest zero. */\n\
         #ifdef __cplusplus\nextern \"C\"\n#endif\nint airtcp_law_v1(airtcp_law *law);\n\n#endif\n",
    );
    text
}

fn structure(text: &mut String, name: &str, about: &str, of: &[(String, String)]) {
    let _ = writeln!(text, "\n/* {about} */\ntypedef struct {{");
    fields(text, of);
    let _ = writeln!(text, "}} {name};");
}

fn fields(text: &mut String, of: &[(String, String)]) {
    for (declared, doc) in of {
        let _ = writeln!(text, "  {declared}; /* {doc} */");
    }
}

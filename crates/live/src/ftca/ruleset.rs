//! The text of the rules, one statement a line: nft 1.0.6 refuses a closing brace after a statement.
//!
//! ```text
//! IPv4  total length   = 20 + 4 doff      and a header of 20 bytes, no fragment     -> no payload
//! IPv6  payload length =      4 doff      and no extension header                   -> no payload
//! ```
//! A packet with payload never matches, also if it has a SYN or FIN: raised above the data before it, it would overtake
//! them. Every length has a rule of its own. A set of concatenated fields would be shorter, but nft 1.0.6 aborts when it
//! lists one, and with it the listing of the whole machine.

use std::fmt::Write as _;

use super::class::Class;
use super::device::Device;

/// The counter of SYN, FIN and RST.
pub const SYN_FIN_RST: &str = "syn_fin_rst";
/// The counter of all other TCP packets without payload.
pub const PURE_ACK: &str = "pure_ack";
/// No packet without payload is as long, with an Ethernet header and all options; the kernel's large packets are.
const LONGER: u32 = 160;

/// The rules of a device: they replace those that an earlier call installed, in one transaction.
pub fn install(device: &Device, class: Class) -> String {
    let table = device.table();
    let mut text = remove(device);
    let _ = write!(
        text,
        "table netdev {table} {{\n\
         \tcounter {SYN_FIN_RST} {{ }}\n\
         \tcounter {PURE_ACK} {{ }}\n\
         \tchain raise {{\n\
         \t\tmeta priority set 0:{:x}\n\
         \t}}\n\
         \tchain bare {{\n\
         \t\ttcp flags & (syn | fin | rst) != 0 counter name {SYN_FIN_RST} goto raise\n\
         \t\tcounter name {PURE_ACK} goto raise\n\
         \t}}\n",
        class.priority()
    );
    for (chain, field, header) in [("tcp4", "ip length", 20), ("tcp6", "ip6 length", 0)] {
        let _ = writeln!(text, "\tchain {chain} {{");
        for words in 5..=15 {
            let length = header + 4 * words;
            let _ = writeln!(text, "\t\ttcp doff {words} {field} {length} goto bare");
        }
        text.push_str("\t}\n");
    }
    let _ = write!(
        text,
        "\tchain pick {{\n\
         \t\ttype filter hook egress device \"{device}\" priority 0; policy accept;\n\
         \t\tip hdrlength 5 ip frag-off & 0x3fff == 0 ip protocol tcp meta length < {LONGER} goto tcp4\n\
         \t\tip6 nexthdr tcp meta length < {LONGER} goto tcp6\n\
         \t}}\n\
         }}\n"
    );
    text
}

/// What removes the rules of a device, whether it has any or not: one cannot delete a table that is not there.
pub fn remove(device: &Device) -> String {
    let table = device.table();
    format!("add table netdev {table}\ndelete table netdev {table}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(class: Class) -> String {
        install(&"phy0-ap0".parse().unwrap(), class)
    }

    #[test]
    fn the_priority_is_hexadecimal_and_256_above_the_user_priority() {
        assert!(text(Class::Voice).contains("meta priority set 0:106\n"));
        assert!(text(Class::Video).contains("meta priority set 0:105\n"));
    }

    #[test]
    fn lengths_follow_from_the_data_offset() {
        let text = text(Class::Voice);
        assert!(text.contains("tcp doff 5 ip length 40 goto bare\n"));
        assert!(text.contains("tcp doff 15 ip length 80 goto bare\n"));
        assert!(text.contains("tcp doff 5 ip6 length 20 goto bare\n"));
        assert!(text.contains("tcp doff 15 ip6 length 60 goto bare\n"));
        assert_eq!(text.matches("tcp doff").count(), 22);
    }

    #[test]
    fn a_line_has_one_statement_and_braces_balance() {
        let text = text(Class::Video);
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert!(text.starts_with("add table netdev airtcp_ftca_phy0-ap0\ndelete table "));
        assert!(
            text.lines().all(|line| line.trim() == "}"
                || !line.ends_with(" }")
                || line.contains("counter"))
        );
    }
}

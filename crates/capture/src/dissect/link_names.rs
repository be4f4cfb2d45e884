//! Names of link types that airtcp does not read, for messages. They are those of the registry at
//! tcpdump.org, in small letters.

/// Numbers in ascending order, and names.
const NAMES: [(u16, &str); 66] = [
    (3, "ax25"),
    (7, "arcnet-bsd"),
    (8, "slip"),
    (99, "symantec-firewall"),
    (106, "atm-clip"),
    (114, "ltalk"),
    (118, "cisco-ios"),
    (129, "arcnet-linux"),
    (130, "juniper-mlppp"),
    (131, "juniper-mlfr"),
    (132, "juniper-es"),
    (133, "juniper-ggsn"),
    (134, "juniper-mfr"),
    (135, "juniper-atm2"),
    (137, "juniper-atm1"),
    (139, "mtp2-with-phdr"),
    (140, "mtp2"),
    (141, "mtp3"),
    (142, "sccp"),
    (143, "docsis"),
    (144, "linux-irda"),
    (147, "user0"),
    (148, "user1"),
    (149, "user2"),
    (150, "user3"),
    (151, "user4"),
    (152, "user5"),
    (153, "user6"),
    (154, "user7"),
    (155, "user8"),
    (156, "user9"),
    (157, "user10"),
    (158, "user11"),
    (159, "user12"),
    (160, "user13"),
    (161, "user14"),
    (162, "user15"),
    (165, "bacnet-ms-tp"),
    (169, "gprs-llc"),
    (170, "gpf-t"),
    (171, "gpf-f"),
    (177, "linux-lapd"),
    (178, "juniper-ether"),
    (179, "juniper-ppp"),
    (180, "juniper-frelay"),
    (181, "juniper-chdlc"),
    (187, "bluetooth-hci-h4"),
    (189, "usb-linux"),
    (195, "ieee802.15.4"),
    (201, "bluetooth-hci-h4-with-phdr"),
    (209, "i2c-linux"),
    (220, "usb-linux-mmapped"),
    (227, "can-socketcan"),
    (230, "ieee802.15.4-nofcs"),
    (237, "mux27010"),
    (242, "ip-over-infiniband"),
    (247, "infiniband"),
    (249, "usbpcap"),
    (251, "bluetooth-le-ll"),
    (252, "wireshark-upper-pdu"),
    (253, "netlink"),
    (254, "bluetooth-linux-monitor"),
    (271, "vsock"),
    (272, "nordic-ble"),
    (273, "docsis31-xra31"),
    (283, "ieee802.15.4-tap"),
];

/// The name of a link type.
pub(super) fn of(number: u16) -> Option<&'static str> {
    let place = NAMES.binary_search_by_key(&number, |(known, _)| *known).ok()?;
    Some(NAMES[place].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_ascend() {
        assert!(NAMES.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!((of(189), of(1)), (Some("usb-linux"), None));
    }
}

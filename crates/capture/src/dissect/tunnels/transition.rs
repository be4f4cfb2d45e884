//! Ethernet in IP (RFC 3378), NSH in IP (RFC 9491), and Teredo (RFC 4380).

use crate::dissect::ethernet::nsh;
use crate::dissect::layer::Layer;
use crate::dissect::provable::is_ip;
use crate::dissect::view::View;

/// Version 3 and twelve reserved bits, then a frame.
pub(super) fn ethernet_in_ip(view: View<'_>) -> Layer<'_> {
    match view.byte(0).map(|first| first >> 4) {
        Some(3) => Layer::of(view.skip(2), Layer::ethernet),
        Some(_) => Layer::Other,
        None => Layer::Unreadable,
    }
}

/// The network service header without Ethernet.
pub(super) fn nsh_in_ip(view: View<'_>) -> Layer<'_> {
    nsh(view)
}

/// IPv6 over UDP. Headers of authentication and of the origin can precede it.
pub(super) fn teredo(view: View<'_>) -> Layer<'_> {
    const AUTHENTICATION: u16 = 1;
    const ORIGIN: u16 = 0;
    let mut rest = view;
    for _ in 0..2 {
        let behind = match rest.be16(0) {
            Some(AUTHENTICATION) => match (rest.byte(2), rest.byte(3)) {
                (Some(identifier), Some(value)) => {
                    rest.skip(13 + usize::from(identifier) + usize::from(value))
                }
                _ => None,
            },
            Some(ORIGIN) => rest.skip(8),
            _ => break,
        };
        let Some(behind) = behind else { return Layer::Other };
        rest = behind;
    }
    if is_ip(rest) { Layer::Ip(rest) } else { Layer::Other }
}

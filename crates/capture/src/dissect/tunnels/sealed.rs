//! What encrypts packets, and what only signs them.

use crate::dissect::layer::Layer;
use crate::dissect::view::View;

const ESP: &str = "IPsec ESP";

/// ESP (RFC 4303).
pub(super) fn esp(_: View<'_>) -> Layer<'_> {
    Layer::unread(ESP)
}

/// An authentication header (RFC 4302): the number of the next protocol, and its length in words less two.
pub(super) fn authenticated(view: View<'_>) -> Layer<'_> {
    let (Some(next), Some(words)) = (view.byte(0), view.byte(1)) else { return Layer::Unreadable };
    Layer::of(view.skip((usize::from(words) + 2) * 4), |view| Layer::Protocol(next, view))
}

/// ESP over UDP (RFC 3948): four zeros begin a message of IKE, and one byte is a keep-alive.
pub(super) fn nat_traversal(view: View<'_>) -> Layer<'_> {
    match view.be32(0) {
        Some(0) | None => Layer::Other,
        Some(_) => Layer::unread(ESP),
    }
}

/// WireGuard: messages of type 4 hold packets, in blocks of sixteen bytes.
pub(super) fn wireguard(view: View<'_>) -> Layer<'_> {
    let is_data = view.data.starts_with(&[4, 0, 0, 0]);
    let wire = view.wire();
    // 32 bytes are a keep-alive.
    if is_data && wire > 32 && wire.is_multiple_of(16) {
        Layer::unread("WireGuard")
    } else {
        Layer::Other
    }
}

/// OpenVPN: the first five bits are the kind of message; 6 and 9 hold packets.
pub(super) fn openvpn(view: View<'_>) -> Layer<'_> {
    match view.byte(0).map(|first| first >> 3) {
        Some(6 | 9) => Layer::unread("OpenVPN"),
        _ => Layer::Other,
    }
}

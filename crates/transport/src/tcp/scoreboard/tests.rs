//! Against the literal definitions of RFC 6675.

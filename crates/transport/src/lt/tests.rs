//! Tests over both ends.

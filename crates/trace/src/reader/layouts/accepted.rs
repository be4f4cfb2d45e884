//! The accepted kinds of files, for the error on other files.

/// A short list for error messages.
pub(super) fn accepted() -> String {
    "text of 0 and 1, a CSV/TSV table with a column of outcomes (such as 'received') or of \
     received sequence numbers (such as 'seq'), the output of ping, fping, iperf3 -u, irtt or \
     owping -R, and the layouts shown by 'airtcp list layout'"
        .to_owned()
}

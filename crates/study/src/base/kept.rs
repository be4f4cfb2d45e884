//! Results of a comparison that outlive the call that made them.
//!
//! A law of one's own may fail after hours. The caller then asks again without it: what the others have finished
//! stands under a key that says the channel, the variant with all its parameters, and the replication, and runs no
//! second time. Results are text, as they travel between processes.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Finished results by key.
#[derive(Debug, Default)]
pub struct Kept(Mutex<BTreeMap<String, String>>);

impl Kept {
    pub(crate) fn get(&self, key: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    pub(crate) fn put(&self, key: String, text: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key, text);
    }

    /// Number of results.
    pub fn len(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// True if there is no result.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

thread_local! {
    static KEPT: RefCell<Option<Arc<Kept>>> = const { RefCell::new(None) };
}

/// Results are kept as long as this exists; those kept before come back when it is dropped.
#[must_use = "results are kept as long as this exists"]
pub struct Keeping(Option<Arc<Kept>>);

/// Keeps the results of the comparisons on this thread, and takes those that are there.
pub fn keep(kept: Option<Arc<Kept>>) -> Keeping {
    Keeping(KEPT.with_borrow_mut(|now| std::mem::replace(now, kept)))
}

impl Drop for Keeping {
    fn drop(&mut self) {
        let before = self.0.take();
        KEPT.with_borrow_mut(|now| *now = before);
    }
}

/// Where results of this thread are kept.
pub(crate) fn present() -> Option<Arc<Kept>> {
    KEPT.with_borrow(Clone::clone)
}

//! What everything here stands on: errors, keys of texts, random streams, jobs and their results, files, bounds.

pub(crate) mod budget;
pub(crate) mod draws;
pub(crate) mod error;
pub(crate) mod jobs;
pub(crate) mod kept;
pub(crate) mod keys;
pub(crate) mod loader;
pub(crate) mod slot_use;

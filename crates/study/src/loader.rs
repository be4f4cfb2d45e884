//! Delivery traces that a scenario's loss models name.

use std::path::Path;
use std::sync::Arc;

use airtcp_trace::{ReadOptions, read_links};
use airtcp_units::Outcomes;

/// Gives the trace named `name`: a path relative to `base`, and after a `#` the name of a link
/// if the file holds several.
///
/// # Errors
/// A message that names the file and says what is wrong with it.
pub fn load_trace(base: &Path, name: &str) -> Result<Arc<Outcomes>, String> {
    let (path, wanted) = match name.split_once('#') {
        Some((path, wanted)) => (path, Some(wanted)),
        None => (name, None),
    };
    let file = base.join(path);
    let mut links = read_links(&file, &ReadOptions::default()).map_err(|e| e.to_string())?;
    let position = match wanted {
        Some(wanted) => links.iter().position(|l| l.name == wanted).ok_or_else(|| {
            let names: Vec<&str> = links.iter().map(|l| l.name.as_str()).take(5).collect();
            format!(
                "{} holds no link \"{wanted}\" (it holds {}: {} ...)",
                file.display(),
                links.len(),
                names.join(", ")
            )
        })?,
        None if links.len() == 1 => 0,
        None => {
            return Err(format!(
                "{} holds {} links: name one as \"{path}#{}\"",
                file.display(),
                links.len(),
                links.first().map_or("name", |l| &l.name)
            ));
        }
    };
    Ok(Arc::new(links.swap_remove(position).outcomes))
}

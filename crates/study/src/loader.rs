//! Delivery traces that a scenario's loss models name.

use std::path::Path;
use std::sync::Arc;

use airtcp_trace::{ReadOptions, read_links};
use airtcp_units::Outcomes;

/// Gives the trace named `name`: a path relative to `base`, and after a `#` the name of a link
/// if the file holds several. Files and links may have a `#` in their own names.
///
/// # Errors
/// A message that names the file and says what is wrong with it.
pub fn load_trace(base: &Path, name: &str) -> Result<Arc<Outcomes>, String> {
    let parts = || name.match_indices('#').map(|(at, _)| (&name[..at], Some(&name[at + 1..])));
    let (path, wanted) = std::iter::once((name, None))
        .chain(parts())
        .find(|(path, _)| base.join(path).is_file())
        .or_else(|| parts().next())
        .unwrap_or((name, None));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_number_signs() {
        let folder = std::env::temp_dir().join(format!("airtcp-loader-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("run#1.txt"), "0110").unwrap();
        std::fs::write(folder.join("two#2.csv"), "tx,rx,received\na,b,1\na,c,0\n").unwrap();
        assert_eq!(load_trace(&folder, "run#1.txt").unwrap().len(), 4);
        assert_eq!(load_trace(&folder, "run#1.txt#run#1").unwrap().len(), 4);
        let second = load_trace(&folder, "two#2.csv#two#2:a>c").unwrap();
        assert_eq!((second.len(), second.get(0)), (1, Some(false)));
        let several = load_trace(&folder, "two#2.csv").unwrap_err();
        assert!(several.contains("holds 2 links"), "{several}");
        for bad in ["", "#", "missing#x", "."] {
            assert!(!load_trace(&folder, bad).unwrap_err().is_empty(), "{bad:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

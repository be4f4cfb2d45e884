//! Files that accompany data: READMEs, licences, pages, programs.

use std::path::Path;

/// True for files that accompany data.
pub(super) fn is_documentation(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().to_lowercase()).unwrap_or_default();
    let ending = Path::new(&name).extension().and_then(|e| e.to_str()).unwrap_or_default();
    name.contains("readme")
        || name.starts_with("license")
        || name.starts_with("licence")
        || name.starts_with("copying")
        || matches!(ending, "md" | "rst" | "pdf" | "html" | "py" | "m" | "sh")
}

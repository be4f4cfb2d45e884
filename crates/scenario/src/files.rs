//! Reads the files that a scenario needs before it is resolved: layouts of cells, arrivals of applications.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use airtcp_wifi::places::layout::Layout;
use airtcp_wifi::places::position_file;

use crate::schedule::{self, Schedule};
use crate::{Application, Scenario, ScenarioError};

/// What to do about a file of positions that is too long.
const ONE_LINE: &str = "give one line for each station";

impl Scenario {
    /// Reads the files of cell layouts and of arrivals from `folder`. Puts the positions into the layouts, so that
    /// they are stored with the results, and the arrivals into the applications.
    ///
    /// # Errors
    /// A file that cannot be read, or a line without a position or an arrival.
    pub fn read_files(&mut self, folder: &Path) -> Result<(), ScenarioError> {
        for (i, cell) in self.cells.iter_mut().enumerate() {
            let Layout::File { path, access_point } = &cell.layout else { continue };
            let refuse =
                |message: String| ScenarioError::at(format!("cells[{i}].layout.path"), message);
            let text = text(folder, path, position_file::MAX_BYTES, ONE_LINE).map_err(refuse)?;
            let layout = Layout::from_file(path, *access_point, &cell.access_point, &text);
            cell.layout = layout.map_err(|e| refuse(e.message))?;
        }
        self.read_arrivals(folder)
    }

    /// Reads each file of arrivals once.
    fn read_arrivals(&mut self, folder: &Path) -> Result<(), ScenarioError> {
        let mut known: BTreeMap<String, Arc<Schedule>> = BTreeMap::new();
        for (i, flow) in self.flows.iter_mut().enumerate() {
            let Application::Trace { path, schedule, .. } = &mut flow.app else { continue };
            let found = match known.get(path) {
                Some(found) => found.clone(),
                None => arrivals(folder, path)
                    .map_err(|e| ScenarioError::at(format!("flows[{i}].app.path"), e))?,
            };
            known.insert(path.clone(), found.clone());
            *schedule = Some(found);
        }
        Ok(())
    }
}

/// The arrivals in a file.
fn arrivals(folder: &Path, path: &str) -> Result<Arc<Schedule>, String> {
    let text = text(folder, path, schedule::MAX_BYTES, schedule::SHORTER)?;
    Schedule::read(&text).map(Arc::new).map_err(|e| format!("\"{path}\": {e}"))
}

/// The text of a regular file in `folder` of at most `most` bytes; `shorter` tells what to do about a
/// longer one. Opening a named pipe would wait for its writer, and a device may have no end.
fn text(folder: &Path, path: &str, most: u64, shorter: &str) -> Result<String, String> {
    if path.is_empty() {
        return Err("is \"\": give the name of a file".to_owned());
    }
    let place = folder.join(path);
    let wrong = |what: String| format!("\"{path}\": {what}");
    let system = |e: io::Error| wrong(e.to_string());
    let about = std::fs::metadata(&place).map_err(system)?;
    if about.is_dir() {
        return Err(wrong("is a folder: give the name of a file".into()));
    }
    if !about.is_file() {
        return Err(wrong("is a pipe or a device: save its content in a file".into()));
    }
    let mut bytes = Vec::new();
    let file = File::open(&place).map_err(system)?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(system)?;
    if bytes.len() as u64 > most {
        return Err(wrong(format!("is longer than {most} bytes: {shorter}")));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        wrong(format!("byte {at}: found text that is not UTF-8; save the file as UTF-8 or ASCII"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of the arrivals in `path`, in the temporary folder.
    fn refusal(path: &str) -> String {
        let text = format!(
            "[[links]]\nfrom = \"a\"\nto = \"b\"\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             transport = \"udp\"\napp = {{ kind = \"trace\", path = \"{path}\" }}\n"
        );
        let mut scenario = crate::read(&text, "a.toml", &[]).unwrap();
        scenario.read_files(&std::env::temp_dir()).unwrap_err().to_string()
    }

    #[test]
    fn only_regular_files_are_opened() {
        let name = format!("airtcp-arrivals-{}", std::process::id());
        let pipe = std::env::temp_dir().join(&name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        // A system without mkfifo has no named pipes.
        if made.is_ok_and(|status| status.success()) {
            let found = refusal(&name);
            std::fs::remove_file(&pipe).unwrap();
            assert!(
                found.contains("flows[0].app.path: ")
                    && found.contains("is a pipe or a device: save"),
                "{found}"
            );
            assert!(refusal("/dev/zero").contains("is a pipe or a device"));
        }
        assert!(refusal(".").contains("\".\": is a folder: give the name of a file"));
        assert!(refusal("").contains("flows[0].app.path: is \"\": give the name of a file"));
    }

    #[test]
    fn a_longer_file_is_refused_with_what_to_do() {
        let name = format!("airtcp-long-{}", std::process::id());
        let path = std::env::temp_dir().join(&name);
        File::create(&path).unwrap().set_len(schedule::MAX_BYTES + 1).unwrap();
        let found = refusal(&name);
        std::fs::remove_file(&path).unwrap();
        assert!(
            found.contains("is longer than 32000000 bytes: cut the file, or use `repeat`"),
            "{found}"
        );
    }
}

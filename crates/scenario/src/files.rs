//! Reads the files that a scenario needs before it is resolved: layouts of cells.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use airtcp_wifi::layout::Layout;
use airtcp_wifi::position_file::MAX_BYTES;

use crate::{Scenario, ScenarioError};

impl Scenario {
    /// Reads the files of cell layouts from `folder` and puts the positions into the layouts, so that they are
    /// stored with the results.
    ///
    /// # Errors
    /// A file that cannot be read, or a line without a position.
    pub fn read_layouts(&mut self, folder: &Path) -> Result<(), ScenarioError> {
        for (i, cell) in self.cells.iter_mut().enumerate() {
            let Layout::File { path, access_point } = &cell.layout else { continue };
            let refuse =
                |message: String| ScenarioError::at(format!("cells[{i}].layout.path"), message);
            let text = text(&folder.join(path)).map_err(|e| refuse(format!("\"{path}\": {e}")))?;
            let layout = Layout::from_file(path, *access_point, &cell.access_point, &text);
            cell.layout = layout.map_err(|e| refuse(e.message))?;
        }
        Ok(())
    }
}

fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| e.to_string())?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("is longer than {MAX_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("byte {at}: found text that is not UTF-8; save the file as UTF-8 or ASCII")
    })
}

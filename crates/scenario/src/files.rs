//! Reads the files that a scenario needs before it is resolved: layouts of cells, arrivals of applications.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use airtcp_wifi::layout::Layout;
use airtcp_wifi::position_file;

use crate::schedule::{self, Schedule};
use crate::{Application, Scenario, ScenarioError};

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
            let text = text(&folder.join(path), position_file::MAX_BYTES)
                .map_err(|e| refuse(format!("\"{path}\": {e}")))?;
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
                None => text(&folder.join(&*path), schedule::MAX_BYTES)
                    .and_then(|text| Schedule::read(&text).map(Arc::new))
                    .map_err(|e| {
                        let message = format!("\"{path}\": {e}");
                        ScenarioError::at(format!("flows[{i}].app.path"), message)
                    })?,
            };
            known.insert(path.clone(), found.clone());
            *schedule = Some(found);
        }
        Ok(())
    }
}

fn text(path: &Path, most: u64) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|e| e.to_string())?;
    file.take(most + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > most {
        return Err(format!("is longer than {most} bytes"));
    }
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        format!("byte {at}: found text that is not UTF-8; save the file as UTF-8 or ASCII")
    })
}

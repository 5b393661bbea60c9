//! Where a case and the files it names come from: the disk, or a results file that holds copies.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::problem::CaseError;

/// Case files are written by people; anything larger is another file by mistake.
const MAX_CASE_BYTES: u64 = 4 << 20;

/// A value replaced from outside the file (`--set key=value`).
#[derive(Debug, Clone, PartialEq)]
pub struct Override {
    /// Key path, such as `parts.beam.sections[0].thickness`.
    pub path: String,
    /// The new value, as TOML.
    pub value: String,
}

/// The text of a case, its overrides, and access to the files it names.
#[derive(Debug, Clone)]
pub struct CaseSource {
    /// Name shown in messages.
    pub label: String,
    /// The TOML text.
    pub text: String,
    /// Values replaced from outside.
    pub overrides: Vec<Override>,
    files: Files,
}

#[derive(Debug, Clone)]
enum Files {
    Folder(PathBuf),
    Copies(BTreeMap<String, Vec<u8>>),
}

impl CaseSource {
    /// Reads a case file from disk.
    pub fn from_file(path: &Path, overrides: Vec<Override>) -> Result<Self, CaseError> {
        let label = path.display().to_string();
        let unreadable = |message: String| CaseError::Unreadable { file: label.clone(), message };
        let metadata = fs::metadata(path).map_err(|e| unreadable(e.to_string()))?;
        if metadata.is_dir() {
            return Err(unreadable("is a folder; name the case file in it".into()));
        }
        if metadata.len() > MAX_CASE_BYTES {
            return Err(unreadable(format!(
                "is {} MB large; a case file is a TOML text of a few kilobytes",
                metadata.len() >> 20
            )));
        }
        // A device has no length to look at beforehand.
        let file = fs::File::open(path).map_err(|e| unreadable(e.to_string()))?;
        let mut bytes = Vec::new();
        file.take(MAX_CASE_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| unreadable(e.to_string()))?;
        if bytes.len() as u64 > MAX_CASE_BYTES {
            return Err(unreadable("is far too long for a case file".into()));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let offset = e.utf8_error().valid_up_to();
            unreadable(format!("is not a text file (byte {offset} is not UTF-8); a case is TOML"))
        })?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Ok(Self { label, text, overrides, files: Files::Folder(folder) })
    }

    /// A case whose files were stored with it.
    pub fn from_copies(
        label: String,
        text: String,
        overrides: Vec<Override>,
        copies: BTreeMap<String, Vec<u8>>,
    ) -> Self {
        Self { label, text, overrides, files: Files::Copies(copies) }
    }

    /// The contents of a file that the case names; failures say why.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        match &self.files {
            Files::Folder(folder) => {
                let path = folder.join(name);
                fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
            }
            Files::Copies(copies) => copies
                .get(name)
                .cloned()
                .ok_or_else(|| format!("{name} is not in the results file")),
        }
    }
}

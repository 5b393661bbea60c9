//! How long steps report their progress: to an observer handed in, never to the terminal directly.

/// Receives the progress of a run.
pub trait Progress {
    /// A stage of `total` steps begins; 0 for a stage of unknown length.
    fn begin(&mut self, stage: &str, total: usize);
    /// So many steps of the stage are done.
    fn advance(&mut self, done: usize);
    /// Something worth a line of its own while the stage goes on.
    fn note(&mut self, _line: &str) {}
    /// What the stage has come to, in a few words.
    fn describe(&mut self, _text: &str) {}
    /// The stage is over.
    fn end(&mut self);
}

/// Ignores everything.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&mut self, _stage: &str, _total: usize) {}
    fn advance(&mut self, _done: usize) {}
    fn end(&mut self) {}
}

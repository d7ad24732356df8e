//! A spool and walks in memory: what jobs of a back office are tested over.

use guanxi_model::{Error, Reason, Result};
use guanxi_ports::Spool;
use guanxi_ports::search::{RowWalks, WalkEndHook};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Files in memory.
#[derive(Default)]
pub struct MemorySpool {
    files: Mutex<BTreeMap<u64, Vec<u8>>>,
    is_full: AtomicBool,
}

impl MemorySpool {
    /// The contents of all files.
    pub fn files(&self) -> Vec<Vec<u8>> {
        self.files.lock().expect("nobody panics while holding files").values().cloned().collect()
    }

    /// Refuses what is written from now on.
    pub fn fill(&self) {
        self.is_full.store(true, Ordering::Relaxed);
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<u64, Vec<u8>>) -> T) -> Result<T> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(Error::new(Reason::DiskFull { reserve: 0 }));
        }
        Ok(change(&mut self.files.lock().expect("nobody panics while holding files")))
    }
}

impl Spool for MemorySpool {
    fn create(&self, file: u64) -> Result<()> {
        self.change(|files| drop(files.insert(file, Vec::new())))
    }

    fn append(&self, file: u64, bytes: &[u8]) -> Result<()> {
        let missing = || Error::with_detail(Reason::Internal, "there is no such file");
        self.change(|files| files.get_mut(&file).map(|held| held.extend(bytes)))?.ok_or_else(missing)
    }

    fn read(&self, file: u64, offset: u64, max: usize) -> Result<Vec<u8>> {
        let files = self.files.lock().expect("nobody panics while holding files");
        let held =
            files.get(&file).ok_or_else(|| Error::with_detail(Reason::Internal, "there is no such file"))?;
        let from = usize::try_from(offset).unwrap_or(usize::MAX).min(held.len());
        Ok(held[from..held.len().min(from.saturating_add(max))].to_vec())
    }

    fn remove(&self, file: u64) -> Result<()> {
        self.files.lock().expect("nobody panics while holding files").remove(&file);
        Ok(())
    }
}

/// Walks that end when they are told to.
#[derive(Default)]
pub struct MemoryWalks {
    held: Mutex<BTreeSet<u64>>,
    hooks: Mutex<Vec<WalkEndHook>>,
}

impl MemoryWalks {
    /// Returns how many are held.
    pub fn held(&self) -> usize {
        self.held.lock().expect("nobody panics while holding walks").len()
    }

    /// Ends all of them, as an erasure does.
    pub fn end_all(&self) {
        self.held.lock().expect("nobody panics while holding walks").clear();
        for hook in &*self.hooks.lock().expect("no hook panics") {
            hook();
        }
    }
}

impl RowWalks for MemoryWalks {
    fn hold(&self, walk: u64) -> Result<()> {
        self.held.lock().expect("nobody panics while holding walks").insert(walk);
        Ok(())
    }

    fn end(&self, walk: u64) {
        self.held.lock().expect("nobody panics while holding walks").remove(&walk);
    }

    fn at_end(&self, hook: WalkEndHook) {
        self.hooks.lock().expect("no hook panics").push(hook);
    }
}

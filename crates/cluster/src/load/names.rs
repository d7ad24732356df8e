//! The names that imported posts came with: a dump has them in the order of the posts, and long before these.

use guanxi_model::PostId;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

/// Names, written in the order of their posts, and read in the same.
pub(super) struct PostNames {
    written: Option<BufWriter<File>>,
    read: Option<BufReader<File>>,
    next: Option<(PostId, String)>,
}

impl PostNames {
    /// None yet.
    pub(super) const fn new() -> Self {
        Self { written: None, read: None, next: None }
    }

    /// Notes a name, behind all that were noted.
    pub(super) fn note(&mut self, id: PostId, name: &str) -> io::Result<()> {
        if self.written.is_none() {
            self.written = Some(BufWriter::new(tempfile::tempfile()?));
        }
        if let Some(file) = &mut self.written {
            file.write_all(&id.get().to_be_bytes())?;
            file.write_all(&(name.len() as u32).to_be_bytes())?;
            file.write_all(name.as_bytes())?;
        }
        Ok(())
    }

    /// The name of a post that comes behind all that were asked for. Nothing is noted any more then.
    pub(super) fn of(&mut self, id: PostId) -> io::Result<Option<String>> {
        if let Some(written) = self.written.take() {
            let mut file = written.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.seek(SeekFrom::Start(0))?;
            self.read = Some(BufReader::new(file));
            self.pull()?;
        }
        while self.next.as_ref().is_some_and(|(next, _)| *next < id) {
            self.pull()?;
        }
        match self.next.take_if(|(next, _)| *next == id) {
            Some((_, name)) => {
                self.pull()?;
                Ok(Some(name))
            }
            None => Ok(None),
        }
    }

    fn pull(&mut self) -> io::Result<()> {
        self.next = None;
        let Some(file) = &mut self.read else { return Ok(()) };
        let (mut id, mut length) = ([0; 8], [0; 4]);
        if file.read(&mut id[..1])? == 0 {
            return Ok(());
        }
        file.read_exact(&mut id[1..])?;
        file.read_exact(&mut length)?;
        let mut name = vec![0; u32::from_be_bytes(length) as usize];
        file.read_exact(&mut name)?;
        let id = PostId::new(u64::from_be_bytes(id)).map_err(io::Error::other)?;
        self.next = Some((id, String::from_utf8(name).map_err(io::Error::other)?));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_their_posts() {
        let id = |n| PostId::new(n).unwrap();
        let mut names = PostNames::new();
        for (n, name) in [(2, "two"), (5, ""), (6, "six")] {
            names.note(id(n), name).unwrap();
        }
        let found: Vec<Option<String>> = (1..=7).map(|n| names.of(id(n)).unwrap()).collect();
        let expected = [None, Some("two"), None, None, Some(""), Some("six"), None];
        assert_eq!(found, expected.map(|name| name.map(ToOwned::to_owned)));
        assert_eq!(PostNames::new().of(id(1)).unwrap(), None);
    }
}

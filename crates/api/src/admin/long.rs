//! Long tasks, each on a thread of its own, told about as they go: verify, repair and backup.

use std::io;

use buffa::MessageField;
use connectrpc::ConnectError;
use futures::Stream;
use guanxi_model::limits::TAKEDOWN_REASON_LEN_MAX;
use guanxi_model::{Error, Reason, Result};
use guanxi_proto::v1::{self, verify_response::Step};
use guanxi_rim::errors::to_wire;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::AdminApi;
use super::proofs::{mended_all, mending, progress, verified};
use crate::limits::{BACKUP_CHUNK, PROGRESS_EVERY};

/// Answers waiting for a slow client before the task waits, too.
const QUEUE: usize = 4;

type Sender<T> = mpsc::Sender<Result<T, ConnectError>>;

/// Runs `task` on a thread of its own and streams what it sends.
fn run<T, F>(task: F) -> impl Stream<Item = Result<T, ConnectError>> + Send + use<T, F>
where
    T: Send + 'static,
    F: FnOnce(&Sender<T>) + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(QUEUE);
    tokio::task::spawn_blocking(move || task(&sender));
    futures::stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|item| (item, receiver))
    })
}

/// Lets a progress through a few times per second.
struct Paced {
    last: Option<Instant>,
}

impl Paced {
    fn due(&mut self) -> bool {
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now.duration_since(last) >= PROGRESS_EVERY);
        if due {
            self.last = Some(now);
        }
        due
    }
}

pub(super) async fn verify(
    api: &AdminApi,
    _request: &v1::VerifyRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::VerifyResponse, ConnectError>> + Send + use<>> {
    let task = api.operator.long_task()?;
    Ok(run(move |sender| {
        let mut paced = Paced { last: None };
        let found = task.verify(&mut |now| {
            if paced.due() {
                // A client that does not read loses a progress, and holds nothing up.
                let _ = sender.try_send(Ok(shown(Step::Progress(Box::new(progress(now))))));
            }
        });
        let last = found.map(|found| shown(Step::Report(Box::new(verified(&found)))));
        // If the receiver is gone, no client is left to be told.
        let _ = sender.blocking_send(last.map_err(|error| to_wire(&error)));
    }))
}

const fn shown(step: Step) -> v1::VerifyResponse {
    v1::VerifyResponse { step: Some(step) }
}

pub(super) async fn repair(
    api: &AdminApi,
    request: &v1::RepairRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::RepairResponse, ConnectError>> + Send + use<>> {
    if request.reason.len() > TAKEDOWN_REASON_LEN_MAX as usize {
        return Err(Error::new(Reason::TooLong { field: "reason", limit: TAKEDOWN_REASON_LEN_MAX }));
    }
    let task = api.operator.long_task()?;
    Ok(run(move |sender| {
        let mut paced = Paced { last: None };
        let mended = task.mend(&mut |now| {
            if paced.due() {
                let _ = sender.try_send(Ok(mending(now)));
            }
        });
        let last = mended.map(|mended| mended_all(&mended));
        let _ = sender.blocking_send(last.map_err(|error| to_wire(&error)));
    }))
}

pub(super) async fn backup(
    api: &AdminApi,
    _request: &v1::BackupRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::BackupResponse, ConnectError>> + Send + use<>> {
    let task = api.operator.long_task()?;
    Ok(run(move |sender| {
        let mut sink = Chunks { sender, buffer: Vec::with_capacity(BACKUP_CHUNK) };
        let mut paced = Paced { last: None };
        let dumped = task.backup(&mut sink, &mut |now| {
            if paced.due() {
                let said =
                    v1::BackupResponse { progress: MessageField::some(progress(now)), ..Default::default() };
                let _ = sender.try_send(Ok(said));
            }
        });
        let last = dumped.map(|position| v1::BackupResponse {
            chunk: std::mem::take(&mut sink.buffer),
            token: position.to_token(),
            ..Default::default()
        });
        let _ = sender.blocking_send(last.map_err(|error| to_wire(&error)));
    }))
}

/// Cuts what is written into chunks of the stream. A client that went away ends the dump.
struct Chunks<'a> {
    sender: &'a Sender<v1::BackupResponse>,
    buffer: Vec<u8>,
}

impl io::Write for Chunks<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(BACKUP_CHUNK - self.buffer.len());
        self.buffer.extend_from_slice(&bytes[..taken]);
        if self.buffer.len() == BACKUP_CHUNK {
            self.send()?;
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        // Chunks are sent when they are full and at the end; a short one in between is of no use.
        Ok(())
    }
}

impl Chunks<'_> {
    fn send(&mut self) -> io::Result<()> {
        let chunk = std::mem::replace(&mut self.buffer, Vec::with_capacity(BACKUP_CHUNK));
        let said = v1::BackupResponse { chunk, ..Default::default() };
        self.sender.blocking_send(Ok(said)).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[tokio::test]
    async fn a_dump_arrives_whole_in_bounded_chunks_and_ends_when_nobody_listens() {
        let (sender, mut receiver) = mpsc::channel(QUEUE);
        let writing = tokio::task::spawn_blocking(move || {
            let mut sink = Chunks { sender: &sender, buffer: Vec::new() };
            let first = sink.write_all(&vec![7; 3 * BACKUP_CHUNK + 5]);
            (first.is_ok(), sink.buffer.len())
        });
        let mut sizes = Vec::new();
        while let Some(said) = receiver.recv().await {
            sizes.push(said.unwrap().chunk.len());
        }
        assert_eq!(sizes, vec![BACKUP_CHUNK; 3]);
        assert_eq!(writing.await.unwrap(), (true, 5));

        let (sender, receiver) = mpsc::channel(QUEUE);
        drop(receiver);
        let writing = tokio::task::spawn_blocking(move || {
            let mut sink = Chunks { sender: &sender, buffer: Vec::new() };
            sink.write_all(&vec![7; BACKUP_CHUNK]).unwrap_err().kind()
        });
        assert_eq!(writing.await.unwrap(), io::ErrorKind::BrokenPipe);
    }
}

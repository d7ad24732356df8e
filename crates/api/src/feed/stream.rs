//! StreamHomeTimeline: what becomes new in a home.
//!
//! As with Watch the position is the whole state: a caller that comes back with its token goes on where it was.

use std::sync::Arc;

use connectrpc::ConnectError;
use futures::{Stream, StreamExt as _};
use guanxi_centers::feed::{FeedCenter, HomeStream};
use guanxi_model::limits::POLL_ITEMS_MAX;
use guanxi_model::{Error, Position, Reason, Result};
use guanxi_proto::v1;
use guanxi_rim::errors::to_wire;
use guanxi_rim::{Caller, Load};

use super::read::news;
use crate::convert::at_least;
use crate::limits::HEARTBEAT;

/// One open stream.
struct Listening {
    home: HomeStream,
    load: Arc<Load>,
}

/// Opens a stream after the request's position, or after now. Its first answer is read at once, so that the caller
/// knows that it listens.
pub(super) async fn open(
    center: &FeedCenter,
    load: Arc<Load>,
    caller: &Caller,
    request: &v1::StreamHomeTimelineRequestView<'_>,
) -> Result<impl Stream<Item = Result<v1::HomeNews, ConnectError>> + Send + use<>> {
    let viewer = caller.uid(request.viewer, "viewer")?;
    let (first, home) = if let Some(since) = at_least(request.token)? {
        let found = center.poll(viewer, since, POLL_ITEMS_MAX as usize).await?;
        let home = center.stream(viewer, Some(found.position.clone())).await?;
        (news(&found), home)
    } else {
        let home = center.stream(viewer, None).await?;
        (quiet(home.position()), home)
    };
    let listening = futures::stream::unfold(Some(Listening { home, load }), |listening| async {
        let mut listening = listening?;
        match listening.next().await {
            Ok(answer) => Some((Ok(answer), Some(listening))),
            Err(error) => Some((Err(to_wire(&error)), None)),
        }
    });
    Ok(futures::stream::once(std::future::ready(Ok(first))).chain(listening))
}

/// A sign of life, and how far the stream is.
fn quiet(position: &Position) -> v1::HomeNews {
    v1::HomeNews { token: position.to_token(), ..Default::default() }
}

impl Listening {
    /// The next answer: news, or a heartbeat.
    async fn next(&mut self) -> Result<v1::HomeNews> {
        let Self { home, load } = self;
        let found = tokio::select! {
            biased;
            () = load.closed() => return Err(Error::new(Reason::ShuttingDown)),
            found = tokio::time::timeout(HEARTBEAT, home.next()) => found,
        };
        match found {
            Ok(found) => found.map(|found| news(&found)),
            Err(_silence) => Ok(quiet(home.quiet_position())),
        }
    }
}

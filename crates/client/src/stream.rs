//! Streams that go on after a break where they were.

use std::future::Future;
use std::time::Duration;

use connectrpc::client::CallOptions;
use guanxi_proto::{Client, ConnectError, ErrorCode, v1};
use tokio::sync::mpsc;

use crate::api_client::ApiClient;
use crate::error::CallError;

/// How long a stream may say nothing: the server sends an empty message every 15 seconds.
const SILENCE_MAX: Duration = Duration::from_secs(40);

/// A request of a method that streams its answers.
pub trait StreamCall: Clone + Send + Sync + 'static {
    /// What is answered, again and again.
    type Answer: Send + 'static;

    /// The messages of an open stream.
    type Messages: Messages<Self::Answer>;

    /// Returns the field that says where to go on.
    fn after(&mut self) -> &mut String;

    /// Returns where to go on after an answer.
    fn token(answer: &Self::Answer) -> &str;

    /// Returns whether an answer says nothing but that the stream stands.
    fn is_heartbeat(answer: &Self::Answer) -> bool;

    /// Opens the stream.
    fn open(
        self,
        client: &Client,
        options: CallOptions,
    ) -> impl Future<Output = Result<Self::Messages, ConnectError>> + Send;
}

/// The messages of an open stream.
pub trait Messages<A>: Send {
    /// Returns the next message; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Option<Result<A, ConnectError>>> + Send;
}

impl<A: Send> Messages<A> for mpsc::Receiver<Result<A, ConnectError>> {
    async fn next(&mut self) -> Option<Result<A, ConnectError>> {
        self.recv().await
    }
}

/// Reads a stream of messages on a task of its own, one ahead, until no receiver listens: so waiting for the next can be
/// given up and taken up again.
macro_rules! messages {
    ($stream:expr, $answer:ty) => {{
        let mut stream = $stream;
        let (to, messages) = mpsc::channel(1);
        tokio::spawn(async move {
            loop {
                let message = tokio::select! {
                    message = stream.message::<$answer>() => message,
                    () = to.closed() => return,
                };
                let Some(message) = message.transpose() else { return };
                let is_end = message.is_err();
                if to.send(message.map(|message| message.to_owned_message())).await.is_err() || is_end {
                    return;
                }
            }
        });
        messages
    }};
}

impl StreamCall for v1::WatchRequest {
    type Answer = v1::WatchResponse;
    type Messages = mpsc::Receiver<Result<Self::Answer, ConnectError>>;

    fn after(&mut self) -> &mut String {
        &mut self.token
    }

    fn token(answer: &Self::Answer) -> &str {
        &answer.token
    }

    fn is_heartbeat(answer: &Self::Answer) -> bool {
        answer.events.is_empty()
    }

    async fn open(self, client: &Client, options: CallOptions) -> Result<Self::Messages, ConnectError> {
        let stream = client.relation_streams().watch_with_options(self, options).await?;
        Ok(messages!(stream, v1::WatchResponse))
    }
}

impl StreamCall for v1::StreamHomeTimelineRequest {
    type Answer = v1::HomeNews;
    type Messages = mpsc::Receiver<Result<Self::Answer, ConnectError>>;

    fn after(&mut self) -> &mut String {
        &mut self.token
    }

    fn token(answer: &Self::Answer) -> &str {
        &answer.token
    }

    fn is_heartbeat(answer: &Self::Answer) -> bool {
        answer.post_ids.is_empty() && !answer.reset
    }

    async fn open(self, client: &Client, options: CallOptions) -> Result<Self::Messages, ConnectError> {
        let stream = client.feed_streams().stream_home_timeline_with_options(self, options).await?;
        Ok(messages!(stream, v1::HomeNews))
    }
}

impl ApiClient {
    /// Follows the changes of relations after a position, from now on if it is empty. For services.
    pub fn watch(&self, request: v1::WatchRequest) -> Resumed<v1::WatchRequest> {
        Resumed::new(self.clone(), request)
    }

    /// Follows what becomes new in a home after the position of a page, from now on if it is empty. A message with `reset`
    /// asks to read the first page again.
    pub fn stream_home(
        &self,
        request: v1::StreamHomeTimelineRequest,
    ) -> Resumed<v1::StreamHomeTimelineRequest> {
        Resumed::new(self.clone(), request)
    }
}

/// A stream that is opened again after each break, from where it was.
pub struct Resumed<S: StreamCall> {
    client: ApiClient,
    request: S,
    open: Option<S::Messages>,
    /// The access token that it was opened with, if that is of a login.
    carried: Option<String>,
    refused: Option<String>,
    /// Tries since the last message.
    tried: u32,
}

impl<S: StreamCall> std::fmt::Debug for Resumed<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Resumed").field("is_open", &self.open.is_some()).finish_non_exhaustive()
    }
}

impl<S: StreamCall> Resumed<S> {
    const fn new(client: ApiClient, request: S) -> Self {
        Self { client, request, open: None, carried: None, refused: None, tried: 0 }
    }

    /// Returns where the stream stands: keep it with what you made of its answers, and begin there another time.
    pub fn token(&mut self) -> &str {
        self.request.after()
    }

    /// Returns the next answer that says something, without gap or repeat, however often the connection breaks meanwhile.
    /// Waiting may be given up at any time, and loses nothing.
    ///
    /// # Errors
    /// What ends the stream for good: `TRIMMED`, when the log no longer holds the position; a credential that is refused;
    /// a request that is wrong; a server that asks for a pause that is longer than the policy's.
    pub async fn next(&mut self) -> Result<S::Answer, CallError> {
        loop {
            let error = match self.step().await {
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => continue,
                Err(error) => error,
            };
            self.open = None;
            self.tried += 1;
            if error.is_unauthenticated() && self.client.is_login() && self.refused.is_none() {
                self.refused = self.carried.take();
                continue;
            }
            if !(error.is_unavailable() || error.is_refusal()) {
                return Err(error);
            }
            let Some(pause) = self.client.pause(self.tried, &error) else { return Err(error) };
            tokio::time::sleep(pause).await;
        }
    }

    /// One message, or none if it says nothing.
    async fn step(&mut self) -> Result<Option<S::Answer>, CallError> {
        let broken = |what| CallError::own(ErrorCode::Unavailable, what);
        if self.open.is_none() {
            let (options, carried) = self.client.options(self.refused.as_deref()).await?;
            self.carried = carried;
            self.open = Some(self.request.clone().open(self.client.raw(), options).await?);
        }
        let Some(messages) = &mut self.open else { return Ok(None) };
        let message = tokio::time::timeout(SILENCE_MAX, messages.next()).await;
        let answer = message
            .map_err(|_| broken("the stream fell silent"))?
            .ok_or_else(|| broken("the stream ended"))??;
        (self.tried, self.refused) = (0, None);
        let token = S::token(&answer).to_owned();
        let before = std::mem::replace(self.request.after(), token);
        self.client.saw(&before, S::token(&answer));
        Ok((!S::is_heartbeat(&answer)).then_some(answer))
    }
}

//! A server over the wire as a service that load can be put on: protobuf on HTTP/1.1, one kept connection per caller.

use crate::broken;
use crate::connection::RawConnection;
use crate::http1::{self, WireError};
use crate::service::{Service, Streamed};
use buffa::Message;
use connectrpc::client::{ClientConfig, HttpClient};
use guanxi_model::{self as model, PostId, Uid};
use guanxi_proto::v1::{
    BatchCheckPairsRequest, CreatePostRequest, FeedServiceClient, GetHomeTimelineRequest,
    GetHomeTimelineResponse, GetPostRequest, GetPostResponse, HomeNews, ListAuthorPostsRequest,
    ListAuthorPostsResponse, Pair, StreamHomeTimelineRequest, WritePostResponse, get_home_timeline_request,
    post_item,
};
use std::net::SocketAddr;
use tokio::sync::mpsc;

/// Items of a page.
const PAGE: i32 = 20;
/// News that wait to be taken from a stream.
const NEWS_WAITING: usize = 1_024;

/// One caller of a server.
#[derive(Debug)]
pub struct Rpc {
    address: SocketAddr,
    /// Made by the first call.
    line: Option<RawConnection>,
}

/// The path of a home page.
const HOME: &str = "/guanxi.v1.FeedService/GetHomeTimeline";

/// What a stream has shown.
#[derive(Debug)]
pub struct RpcStream(mpsc::Receiver<model::Result<Vec<PostId>>>);

impl Clone for Rpc {
    /// Another caller, with a connection of its own.
    fn clone(&self) -> Self {
        Self::new(self.address)
    }
}

/// The body of a request for the newest home page.
pub fn home_body(viewer: Uid, view: get_home_timeline_request::View) -> Vec<u8> {
    let (viewer, view) = (viewer.get(), view.into());
    GetHomeTimelineRequest { viewer, page_size: PAGE, view, ..Default::default() }.encode_to_vec()
}

/// A request for the newest home page of posts.
pub fn posts_request(viewer: Uid) -> Vec<u8> {
    http1::post(HOME, &home_body(viewer, get_home_timeline_request::View::POSTS))
}

/// A request for the relations within many pairs.
pub fn pairs_request(pairs: impl IntoIterator<Item = (Uid, Uid)>) -> Vec<u8> {
    let pair = |(subject, object): (Uid, Uid)| Pair { subject: subject.get(), object: object.get() };
    let request =
        BatchCheckPairsRequest { pairs: pairs.into_iter().map(pair).collect(), ..Default::default() };
    http1::post("/guanxi.v1.RelationService/BatchCheckPairs", &request.encode_to_vec())
}

/// The message in the body of a reply.
///
/// # Errors
/// When there is none.
pub fn message<M: Message>(body: &[u8]) -> Result<M, WireError> {
    M::decode_from_slice(body).map_err(|error| format!("not a message: {error}"))
}

impl Rpc {
    /// A caller that has not called yet.
    pub const fn new(address: SocketAddr) -> Self {
        Self { address, line: None }
    }

    async fn call<A: Message>(&mut self, path: &str, body: &[u8]) -> model::Result<A> {
        match self.exchange(path, body).await? {
            (200, reply) => message(&reply).map_err(broken),
            (status, said) => {
                Err(broken(format_args!("{path}: status {status}: {}", String::from_utf8_lossy(&said))))
            }
        }
    }

    /// Asks, and returns the status and the body of the reply.
    async fn exchange(&mut self, path: &str, body: &[u8]) -> model::Result<(u16, Vec<u8>)> {
        let line = match &mut self.line {
            Some(line) => line,
            none => none.insert(RawConnection::open(self.address).await.map_err(broken)?),
        };
        let reply = line.exchange(&http1::post(path, body), 1, http1::response_len).await.map_err(broken)?;
        Ok((http1::status(reply).map_err(broken)?, http1::body(reply).map_err(broken)?))
    }
}

impl Service for Rpc {
    type Stream = RpcStream;

    async fn home(&mut self, viewer: Uid) -> model::Result<Vec<PostId>> {
        let page: GetHomeTimelineResponse =
            self.call(HOME, &home_body(viewer, get_home_timeline_request::View::IDS)).await?;
        page.post_ids.into_iter().map(PostId::new).collect()
    }

    async fn create(&mut self, author: Uid, text: String) -> model::Result<PostId> {
        let request = CreatePostRequest { author: author.get(), text, ..Default::default() };
        let answer: WritePostResponse =
            self.call("/guanxi.v1.PostService/CreatePost", &request.encode_to_vec()).await?;
        PostId::new(answer.post_id)
    }

    async fn get(&mut self, id: PostId, viewer: Uid) -> model::Result<bool> {
        let request = GetPostRequest { post_id: id.get(), viewer: viewer.get(), ..Default::default() };
        match self.exchange("/guanxi.v1.PostService/GetPost", &request.encode_to_vec()).await? {
            (200, reply) => {
                let answer: GetPostResponse = message(&reply).map_err(broken)?;
                Ok(answer.item.status.as_known() == Some(post_item::Status::OK))
            }
            // Deleted, or hidden from this viewer.
            (403 | 404, _) => Ok(false),
            (status, _) => Err(broken(format_args!("GetPost: status {status}"))),
        }
    }

    async fn list_author(&mut self, author: Uid, viewer: Uid) -> model::Result<usize> {
        let request = ListAuthorPostsRequest {
            author: author.get(),
            viewer: viewer.get(),
            page_size: PAGE,
            ..Default::default()
        };
        let answer: ListAuthorPostsResponse =
            self.call("/guanxi.v1.PostService/ListAuthorPosts", &request.encode_to_vec()).await?;
        Ok(answer.posts.len())
    }

    async fn stream(&mut self, viewer: Uid) -> model::Result<RpcStream> {
        let uri = format!("http://{}", self.address).parse().map_err(broken)?;
        let client = FeedServiceClient::new(HttpClient::plaintext(), ClientConfig::new(uri).proto());
        let request = StreamHomeTimelineRequest { viewer: viewer.get(), ..Default::default() };
        let (sender, receiver) = mpsc::channel(NEWS_WAITING);
        let mut stream = client.stream_home_timeline(request).await.map_err(broken)?;
        tokio::spawn(async move {
            loop {
                let ids = match stream.message::<HomeNews>().await {
                    Ok(Some(news)) => news.to_owned_message().post_ids.into_iter().map(PostId::new).collect(),
                    Ok(None) => Err(broken("the stream ended")),
                    Err(error) => Err(broken(error)),
                };
                let failed = ids.is_err();
                if sender.send(ids).await.is_err() || failed {
                    return;
                }
            }
        });
        Ok(RpcStream(receiver))
    }
}

impl Streamed for RpcStream {
    async fn next_ids(&mut self) -> model::Result<Vec<PostId>> {
        self.0.recv().await.unwrap_or_else(|| Err(broken("the stream ended")))
    }
}

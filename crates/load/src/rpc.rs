//! A server over the wire as a service that load can be put on: protobuf on HTTP/1.1, one kept connection per caller.

use crate::connection::RawConnection;
use crate::http1;
use crate::service::{Service, Streamed};
use buffa::Message;
use connectrpc::client::{ClientConfig, HttpClient};
use guanxi_model::{Error, PostId, Reason, Result, Uid};
use guanxi_proto::v1::{
    CreatePostRequest, FeedServiceClient, GetHomeTimelineRequest, GetHomeTimelineResponse, GetPostRequest,
    GetPostResponse, HomeNews, ListAuthorPostsRequest, ListAuthorPostsResponse, StreamHomeTimelineRequest,
    WritePostResponse, get_home_timeline_request, post_item,
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

/// What a stream has shown.
#[derive(Debug)]
pub struct RpcStream(mpsc::Receiver<Result<Vec<PostId>>>);

impl Clone for Rpc {
    /// Another caller, with a connection of its own.
    fn clone(&self) -> Self {
        Self::new(self.address)
    }
}

/// A request for the newest home page of ids.
pub fn home_request(viewer: Uid) -> Vec<u8> {
    let view = get_home_timeline_request::View::IDS.into();
    let request =
        GetHomeTimelineRequest { viewer: viewer.get(), page_size: PAGE, view, ..Default::default() };
    http1::post("/guanxi.v1.FeedService/GetHomeTimeline", &request.encode_to_vec())
}

/// The ids of the answer to it.
///
/// # Errors
/// When the reply is not one.
pub fn home_ids(reply: &[u8]) -> std::result::Result<Vec<u64>, http1::WireError> {
    let body = http1::body(reply)?;
    let response = GetHomeTimelineResponse::decode_from_slice(&body);
    response.map(|response| response.post_ids).map_err(|error| format!("not a home page: {error}"))
}

impl Rpc {
    /// A caller that has not called yet.
    pub const fn new(address: SocketAddr) -> Self {
        Self { address, line: None }
    }

    async fn call<A: Message>(&mut self, path: &str, request: &impl Message) -> Result<A> {
        let reply = self.exchange(&http1::post(path, &request.encode_to_vec())).await.map_err(broken)?;
        http1::check(&reply).map_err(|error| broken(format!("{path}: {error}")))?;
        let body = http1::body(&reply).map_err(broken)?;
        A::decode_from_slice(&body).map_err(|error| broken(error.to_string()))
    }

    async fn exchange(&mut self, request: &[u8]) -> std::result::Result<Vec<u8>, String> {
        let line = match &mut self.line {
            Some(line) => line,
            none => none.insert(RawConnection::open(self.address).await?),
        };
        line.exchange(request, 1, http1::response_len).await.map(<[u8]>::to_vec)
    }
}

impl Service for Rpc {
    type Stream = RpcStream;

    async fn home(&mut self, viewer: Uid) -> Result<Vec<PostId>> {
        let reply = self.exchange(&home_request(viewer)).await.map_err(broken)?;
        http1::check(&reply).map_err(broken)?;
        home_ids(&reply).map_err(broken)?.into_iter().map(PostId::new).collect()
    }

    async fn create(&mut self, author: Uid, text: String) -> Result<PostId> {
        let request = CreatePostRequest { author: author.get(), text, ..Default::default() };
        let answer: WritePostResponse = self.call("/guanxi.v1.PostService/CreatePost", &request).await?;
        PostId::new(answer.post_id)
    }

    async fn get(&mut self, id: PostId, viewer: Uid) -> Result<bool> {
        let request = GetPostRequest { post_id: id.get(), viewer: viewer.get(), ..Default::default() };
        let request = http1::post("/guanxi.v1.PostService/GetPost", &request.encode_to_vec());
        let reply = self.exchange(&request).await.map_err(broken)?;
        match http1::status(&reply).map_err(broken)? {
            200 => {
                let body = http1::body(&reply).map_err(broken)?;
                let answer = GetPostResponse::decode_from_slice(&body);
                let answer = answer.map_err(|error| broken(error.to_string()))?;
                Ok(answer.item.status.as_known() == Some(post_item::Status::OK))
            }
            // Deleted, or hidden from this viewer.
            403 | 404 => Ok(false),
            status => Err(broken(format!("GetPost: status {status}"))),
        }
    }

    async fn list_author(&mut self, author: Uid, viewer: Uid) -> Result<usize> {
        let request = ListAuthorPostsRequest {
            author: author.get(),
            viewer: viewer.get(),
            page_size: PAGE,
            ..Default::default()
        };
        let answer: ListAuthorPostsResponse =
            self.call("/guanxi.v1.PostService/ListAuthorPosts", &request).await?;
        Ok(answer.posts.len())
    }

    async fn stream(&mut self, viewer: Uid) -> Result<RpcStream> {
        let uri = format!("http://{}", self.address).parse().map_err(|error| broken(format!("{error}")))?;
        let client = FeedServiceClient::new(HttpClient::plaintext(), ClientConfig::new(uri).proto());
        let request = StreamHomeTimelineRequest { viewer: viewer.get(), ..Default::default() };
        let (sender, receiver) = mpsc::channel(NEWS_WAITING);
        let mut stream =
            client.stream_home_timeline(request).await.map_err(|error| broken(error.to_string()))?;
        tokio::spawn(async move {
            loop {
                let ids = match stream.message::<HomeNews>().await {
                    Ok(Some(news)) => news.to_owned_message().post_ids.into_iter().map(PostId::new).collect(),
                    Ok(None) => Err(broken("the stream ended".to_owned())),
                    Err(error) => Err(broken(error.to_string())),
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
    async fn next_ids(&mut self) -> Result<Vec<PostId>> {
        self.0.recv().await.unwrap_or_else(|| Err(broken("the stream ended".to_owned())))
    }
}

fn broken(what: String) -> Error {
    Error::with_detail(Reason::Internal, what)
}

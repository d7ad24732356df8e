//! Calls with one answer, compiled once for all messages.
//!
//! `connectrpc::client::call_unary` is generic over the request and the answer, and so is all that it does: headers, errors,
//! compression, gRPC frames and JSON. A program of fifty calls has fifty copies of that. Here a message is written before, and
//! read after, a call whose request and answer are bytes. `cargo xtask codegen` makes the generated clients call this function.

use buffa::bytes::{Buf, Bytes};
use buffa::encoding::Tag;
use buffa::view::{MessageView, ViewReborrow};
use buffa::{
    DecodeContext, DecodeError, DecodeOptions, DefaultInstance, EncodeSink, Message, OwnedView, SizeCache,
};
use connectrpc::client::{BoxFuture, CallOptions, ClientConfig, ClientTransport, UnaryResponse, call_unary};
use connectrpc::{ConnectError, ErrorCode, Spec};
use http::HeaderMap;
use http_body::Body;

/// The answer of a call: a message that borrows from the bytes that came, and its headers.
#[derive(Debug)]
pub struct UnaryAnswer<M> {
    headers: HeaderMap,
    message: M,
}

impl<M> UnaryAnswer<M> {
    /// Returns the headers of the answer.
    pub const fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// Returns the message without a copy; its fields are read through `reborrow`.
    pub fn into_view(self) -> M {
        self.message
    }
}

impl<V: MessageView<'static> + ViewReborrow> UnaryAnswer<OwnedView<V>> {
    /// Returns the message as a struct of its own.
    pub fn into_owned(self) -> V::Owned {
        self.message.to_owned_message()
    }

    /// Returns the message as it is in the bytes that came.
    pub fn view(&self) -> &V::Reborrowed<'_> {
        self.message.reborrow()
    }
}

/// Makes a call with one answer. The codec of `config` is that of binary messages.
///
/// # Errors
/// That of the call; `internal` if the answer is not such a message, `resource_exhausted` if its lists would take more memory
/// than buffa allows.
pub(crate) async fn call<T, Asked, V>(
    transport: &T,
    config: &ClientConfig,
    spec: Spec,
    request: Asked,
    options: CallOptions,
) -> Result<UnaryAnswer<OwnedView<V>>, ConnectError>
where
    T: ClientTransport,
    <T::ResponseBody as Body>::Error: std::fmt::Display,
    Asked: Message,
    V: MessageView<'static>,
{
    let (headers, bytes) = exchange(transport, config, spec, request.encode_to_bytes(), options).await?;
    let message =
        OwnedView::decode_with_options(bytes, &DecodeOptions::new()).map_err(|error| unreadable(&error))?;
    Ok(UnaryAnswer { headers, message })
}

/// Sends the bytes of a request, and returns the headers and the bytes of the answer.
fn exchange<'a, T>(
    transport: &'a T,
    config: &'a ClientConfig,
    spec: Spec,
    request: Bytes,
    options: CallOptions,
) -> BoxFuture<'a, Result<(HeaderMap, Bytes), ConnectError>>
where
    T: ClientTransport,
    <T::ResponseBody as Body>::Error: std::fmt::Display,
{
    Box::pin(async move {
        let request = Opaque(request);
        let answer: UnaryResponse<OwnedView<OpaqueView>> =
            call_unary(transport, config, spec, request, options).await?;
        let (headers, body, _) = answer.into_parts();
        Ok((headers, body.into_bytes()))
    })
}

fn unreadable(error: &DecodeError) -> ConnectError {
    let code = match error {
        DecodeError::ElementMemoryLimitExceeded => ErrorCode::ResourceExhausted,
        _ => ErrorCode::Internal,
    };
    ConnectError::new(code, format!("the answer cannot be read: {error}"))
}

/// A message that is written already.
#[derive(Clone, Debug, Default, PartialEq)]
struct Opaque(Bytes);

impl DefaultInstance for Opaque {
    fn default_instance() -> &'static Self {
        static EMPTY: Opaque = Opaque(Bytes::new());
        &EMPTY
    }
}

impl Message for Opaque {
    fn compute_size(&self, _: &mut SizeCache) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    fn write_to(&self, _: &mut SizeCache, sink: &mut impl EncodeSink) {
        sink.put_slice(&self.0);
    }

    fn encode_to_bytes(&self) -> Bytes {
        self.0.clone()
    }

    /// Fields are not looked at: answers are read by [`OpaqueView`].
    fn merge_field(&mut self, _: Tag, buf: &mut impl Buf, _: DecodeContext<'_>) -> Result<(), DecodeError> {
        buf.advance(buf.remaining());
        Ok(())
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// The view of a message that is to be read later.
struct OpaqueView;

impl<'a> MessageView<'a> for OpaqueView {
    type Owned = Opaque;

    fn decode_view(_: &'a [u8]) -> Result<Self, DecodeError> {
        Ok(Self)
    }

    fn merge_view_field(
        &mut self,
        _: Tag,
        _: &'a [u8],
        _: &'a [u8],
        _: DecodeContext<'_>,
    ) -> Result<&'a [u8], DecodeError> {
        Ok(&[])
    }

    /// The bytes are taken from the view's owner, so there are none here.
    fn to_owned_message(&self) -> Result<Opaque, DecodeError> {
        Ok(Opaque::default())
    }
}

/// The bounds of `connectrpc` ask for JSON of each message. No call of ours is made with its JSON codec.
mod of_json {
    use super::{Bytes, Opaque};
    use serde::de::{Deserialize, Deserializer, IgnoredAny};
    use serde::ser::{Error, Serialize, Serializer};

    impl Serialize for Opaque {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("bytes of a message have no JSON"))
        }
    }

    impl<'de> Deserialize<'de> for Opaque {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            IgnoredAny::deserialize(from).map(|_| Self(Bytes::new()))
        }
    }
}

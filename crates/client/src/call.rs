//! What can be called: a request knows its method, its answer, and which of its fields the client fills.

use std::future::Future;

use connectrpc::client::CallOptions;
use guanxi_proto::{Client, ConnectError, v1};

/// What a call does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// It changes nothing, so it can be repeated.
    Read,
    /// It changes something, so it is repeated with a `request_id` alone, or where it was refused before it began.
    Write,
}

/// A request of a method with one answer.
pub trait ApiCall: Clone + Send + Sync + 'static {
    /// What is answered.
    type Answer: Send + 'static;

    /// What it does.
    const KIND: CallKind;

    /// Whether an answer that is not older than a position waits until an index has that. Then only what this client has written
    /// is asked for: waiting for what it has read would be for nothing.
    const WAITS: bool;

    /// Returns the field that makes a repeat safe, if there is one.
    fn request_id(&mut self) -> Option<&mut String>;

    /// Returns the field that asks for an answer not older than a position, if there is one.
    fn at_least(&mut self) -> Option<&mut String>;

    /// Returns the position that an answer tells; empty if it tells none.
    fn position(answer: &Self::Answer) -> &str;

    /// Calls the method once.
    fn send(
        self,
        client: &Client,
        options: CallOptions,
    ) -> impl Future<Output = Result<Self::Answer, ConnectError>> + Send;
}

/// A row for each method: its service, the client's function, request, answer, and the fields that the client knows.
macro_rules! calls {
    ($($service:ident.$method:ident($request:ident) -> $answer:ident: $kind:ident
        $(, id $id:ident)? $(, asks $asks:ident)? $(, waits $waits:ident)? $(, tells $tells:ident)?;)*) => {
        $(impl ApiCall for v1::$request {
            type Answer = v1::$answer;

            const KIND: CallKind = CallKind::$kind;

            const WAITS: bool = false$( || !stringify!($waits).is_empty())?;

            fn request_id(&mut self) -> Option<&mut String> {
                None$(.or(Some(&mut self.$id)))?
            }

            fn at_least(&mut self) -> Option<&mut String> {
                None$(.or(Some(&mut self.$asks)))?$(.or(Some(&mut self.$waits)))?
            }

            fn position(_answer: &Self::Answer) -> &str {
                ""$(; &_answer.$tells)?
            }

            fn send(
                self,
                client: &Client,
                options: CallOptions,
            ) -> impl Future<Output = Result<Self::Answer, ConnectError>> + Send {
                let service = client.$service().clone();
                async move { Ok(service.$method(self, options).await?.into_owned()) }
            }
        })*
    };
}

// Written by `cargo xtask codegen`, a row for each method with one answer.
include!("gen/calls.rs");

//! What a call hands on to the calls that it makes, added to the head of each request.

use connectrpc::client::{BoxFuture, ClientBody, ClientTransport};
use http::{HeaderMap, Request, Response};

/// Adds what is handed on, such as the trace of the call that is being answered.
pub type PassOn = fn(&mut HeaderMap);

/// A transport that hands on.
#[derive(Clone, Debug)]
pub struct PassingOn<T> {
    inner: T,
    pass_on: Option<PassOn>,
}

impl<T> PassingOn<T> {
    pub(crate) const fn new(inner: T, pass_on: Option<PassOn>) -> Self {
        Self { inner, pass_on }
    }
}

impl<T: ClientTransport> ClientTransport for PassingOn<T> {
    type ResponseBody = T::ResponseBody;
    type Error = T::Error;

    fn send(
        &self,
        mut request: Request<ClientBody>,
    ) -> BoxFuture<'static, Result<Response<Self::ResponseBody>, Self::Error>> {
        if let Some(pass_on) = self.pass_on {
            pass_on(request.headers_mut());
        }
        self.inner.send(request)
    }
}

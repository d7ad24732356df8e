//! Phone numbers and mail addresses: one function per method.

use guanxi_centers::user::UserCenter;
use guanxi_model::Result;
use guanxi_model::user::ContactKind;
use guanxi_proto::v1;
use guanxi_rim::Caller;

use super::write::written;
use crate::convert::required;

async fn bind(center: &UserCenter, uid: u64, kind: ContactKind, text: &str) -> Result<v1::WriteUserResponse> {
    let (uid, contact) = (required(uid, "uid")?, guanxi_texts::contact(kind, text)?);
    center.bind(uid, &contact).await.map(|found| written(&found))
}

async fn unbind(center: &UserCenter, uid: u64, kind: ContactKind) -> Result<v1::WriteUserResponse> {
    center.unbind(required(uid, "uid")?, kind).await.map(|found| written(&found))
}

pub(super) async fn bind_phone(
    center: &UserCenter,
    _caller: &Caller,
    request: &v1::BindPhoneRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    bind(center, request.uid, ContactKind::Phone, request.phone).await
}

pub(super) async fn bind_email(
    center: &UserCenter,
    _caller: &Caller,
    request: &v1::BindEmailRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    bind(center, request.uid, ContactKind::Email, request.email).await
}

pub(super) async fn unbind_phone(
    center: &UserCenter,
    _caller: &Caller,
    request: &v1::UnbindPhoneRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    unbind(center, request.uid, ContactKind::Phone).await
}

pub(super) async fn unbind_email(
    center: &UserCenter,
    _caller: &Caller,
    request: &v1::UnbindEmailRequestView<'_>,
) -> Result<v1::WriteUserResponse> {
    unbind(center, request.uid, ContactKind::Email).await
}

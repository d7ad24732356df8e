//! Codes that sign operators in to the console.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use buffa::MessageField;
use connectrpc::RequestContext;
use guanxi_model::{Error, Reason, Result, Stamp};
use guanxi_proto::v1;
use guanxi_rim::{Operator, limits};

use super::AdminApi;
use crate::convert::time;

/// Makes a code for the operator that calls.
pub(super) async fn create_code(
    api: &AdminApi,
    ctx: &RequestContext,
) -> Result<v1::CreateConsoleCodeResponse> {
    let codes = api.codes.as_ref().ok_or(Error::new(Reason::NotServed))?;
    let operator = Operator::of(guanxi_rim::caller(ctx)?).ok_or(Error::new(Reason::PermissionDenied))?;
    let code = URL_SAFE_NO_PAD.encode(api.operator.random_bits());
    codes.put(&code, operator);
    let life_ms = limits::CONSOLE_CODE_LIFE.as_millis() as u64;
    let ends = time(Stamp::from_ms(api.operator.now_ms() + life_ms));
    Ok(v1::CreateConsoleCodeResponse { code, expire_time: MessageField::some(ends) })
}

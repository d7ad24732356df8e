//! Why an item of a batch was refused, in both directions. An item tells the name of a reason and few of its values.

use guanxi_model::Reason;
use guanxi_model::error::Value;
use guanxi_proto::v1;

/// Why an item of a batch was refused.
pub(crate) fn item_error(reason: &Reason) -> v1::ItemError {
    let mut item =
        v1::ItemError { reason: reason.name().to_owned(), message: reason.to_string(), ..Default::default() };
    for (key, value) in reason.values() {
        let value = value.to_string();
        match key {
            "limit" => item.limit = value.parse().ok(),
            "field" => item.field = value,
            "until_ms" => item.until_ms = value.parse().ok(),
            _ => {}
        }
    }
    item
}

/// The reason of an item.
pub fn item_reason_back(item: &v1::ItemError) -> Option<Reason> {
    item_reason(&item.reason, &item.field, item.limit, item.until_ms)
}

/// The reason of an item, of which only these are told; `None` for one of a newer server.
pub(crate) fn item_reason(
    name: &str,
    field: &str,
    limit: Option<u32>,
    until_ms: Option<u64>,
) -> Option<Reason> {
    Reason::of_name(name, |key, kind| {
        let told = match key {
            "limit" => limit.map(|limit| limit.to_string()),
            "field" => Some(field.to_owned()),
            "until_ms" => until_ms.map(|ms| ms.to_string()),
            _ => None,
        };
        Some(told.and_then(|text| Value::parse(kind, &text)).unwrap_or(Value::untold(kind)))
    })
}

//! What a field may hold, in the words that a caller is told.

/// Returns what follows the text of `INVALID_FIELD` for a field that has a rule of its own, and nothing for others.
pub(super) fn of(field: &str) -> &'static str {
    match field {
        "login_name" => {
            ": a login name has letters and digits of one script, or Latin beside Chinese, Japanese or Korean, and signs, \
             but no spaces and no `@` in front; a user that registers itself may not take a mail address or phone number"
        }
        "password" => ": a password has no control characters and no invisible ones",
        "nickname" | "name" | "device" => {
            ": it needs a visible character, and may have no control characters, no invisible characters, and none that change \
             the direction of text"
        }
        "external_id" | "external_ids" => {
            ": an external id is text without control characters and line breaks"
        }
        "message" => {
            ": it may have line feeds, but no other control characters, no invisible characters, and none that change the \
             direction of text"
        }
        "email" => ": a mail address is like ann@example.org, in ASCII, without quotes and spaces",
        "phone" => {
            ": a phone number is `+`, the country code and the number, such as +33123456789, without the 0 that is dialled within \
             the country"
        }
        _ => "",
    }
}

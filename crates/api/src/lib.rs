//! The API: proto to model, authentication, authorisation, limits and error mapping.

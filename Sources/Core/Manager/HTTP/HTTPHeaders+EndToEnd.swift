extension HTTPHeaders {
  /// The fields that say something of a response, and not of the connection that it came on: those that may be kept
  /// (RFC 9111 section 3.1).
  var endToEnd: HTTPHeaders {
    let named = FieldList.members(of: values(of: "Connection")).map { Self.folded(String($0)) }
    return filtered { name in
      let name = Self.folded(name)
      return !Self.connectionFields.contains(name) && (!named.contains(name) || Self.fieldsForEveryone.contains(name))
    }
  }

  private static let connectionFields: Set<String> = [
    "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
    "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  // A server that says of these that they end with the connection is wrong (RFC 9110 section 7.6.1).
  private static let fieldsForEveryone: Set<String> = [
    "age", "cache-control", "date", "etag", "expires", "last-modified", "vary",
  ]
}

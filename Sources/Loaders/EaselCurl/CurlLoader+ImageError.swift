import CEaselCurl
import EaselCore

extension CurlLoader.Failure {
  private var curlCode: CURLcode { CURLcode(rawValue: CURLcode.RawValue(code)) }

  /// The code of the `ImageError` that has this failure as its cause.
  var imageCode: ImageError.Code {
    switch curlCode {
    case CURLE_URL_MALFORMAT: .invalidURL
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_OUT_OF_MEMORY: .limitExceeded
    default: .network
    }
  }

  /// A sentence that says what happened and how to solve the problem.
  var sentence: String {
    if isTLSFailure { return tlsSentence }
    return switch curlCode {
    case CURLE_URL_MALFORMAT: "The URL cannot be read."
    case CURLE_COULDNT_RESOLVE_HOST: "The name of the server cannot be resolved."
    case CURLE_COULDNT_RESOLVE_PROXY: "The name of the proxy cannot be resolved."
    case CURLE_COULDNT_CONNECT: "The connection to the server failed."
    case CURLE_OPERATION_TIMEDOUT: "The connection took too long. Raise connectTimeout to wait longer."
    case CURLE_OUT_OF_MEMORY: "There is no memory for the transfer."
    case CURLE_GOT_NOTHING: "The server closed the connection without an answer."
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY: "The response of the server is not HTTP: \(message)."
    case CURLE_HTTP2, CURLE_HTTP2_STREAM: "The server aborted the HTTP/2 stream."
    case CURLE_RECV_ERROR: "The response of the server ended too early: \(message)."
    case CURLE_SEND_ERROR: "The request could not be sent: \(message)."
    default: "The transfer failed: \(message)."
    }
  }

  private var tlsSentence: String {
    switch curlCode {
    case CURLE_PEER_FAILED_VERIFICATION:
      "The certificate of the server is not trusted. Name its authority in certificateAuthorities, or pass "
        + "allowInvalidCertificates."
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: "The public key of the server is not the pinned one."
    case CURLE_SSL_CERTPROBLEM: "The client certificate cannot be used: \(message)."
    case CURLE_SSL_CACERT_BADFILE: "The file of certificate authorities cannot be read."
    default: "The connection could not be encrypted: \(message)."
    }
  }
}

extension String {
  /// The text of a server, shortened to a length that suits a message.
  var inMessage: String { unicodeScalars.count > 200 ? String(unicodeScalars.prefix(200)) + "…" : self }
}

extension ImageError {
  static func tooLarge(announced: Int? = nil, limit: Int, subject: String) -> ImageError {
    let what = announced.map { "The body has \($0) bytes, over the limit" } ?? "The body is over the limit"
    return .tooLong("\(what) of \(limit) bytes. Raise Limits.downloadBytes to allow it.", subject: subject)
  }

  static func flooded(limit: UInt64, subject: String) -> ImageError {
    .tooLong(
      "More than \(limit) bytes came over the connection, most of them outside the body. Raise "
        + "Limits.downloadBytes to allow it.", subject: subject)
  }

  static func headTooLarge(limit: Int, subject: String) -> ImageError {
    ImageError(.limitExceeded, "The head of the response is over the limit of \(limit) bytes.", subject: subject)
  }

  static func brokenPacking(subject: String, _ head: ResponseHead?) -> ImageError {
    var error = ImageError(
      .badImageData, "The body cannot be unpacked: it is damaged or cut short.", subject: subject)
    error.response = head
    return error
  }

  static func unknownPacking(_ coding: String, subject: String) -> ImageError {
    let isTooMuch = Unpacker.codings(in: coding).count > Unpacker.mostCodings
    return ImageError(
      .badImageData,
      isTooMuch
        ? "The body is packed more than \(Unpacker.mostCodings) times: \"\(coding.inMessage)\"."
        : "The body is packed as \"\(coding.inMessage)\"; only gzip, br, zstd and deflate can be unpacked.",
      subject: subject)
  }

  static func packedTooLarge(limit: Int, subject: String) -> ImageError {
    .tooLong(
      "The packed body, or a packed body inside it, is over the limit of \(limit) bytes. Raise "
        + "Limits.downloadBytes to allow it.", subject: subject)
  }

  static func wastefulPacking(packed: Int, unpacked: Int, subject: String) -> ImageError {
    ImageError(
      .limitExceeded, "The transfer was stopped: \(packed) packed bytes of the body unpack to only \(unpacked).",
      subject: subject)
  }

  static func badFraming(
    _ fault: ResponseLines.FramingFault, _ headers: HTTPHeaders, subject: String
  ) -> ImageError {
    func value(_ name: String) -> String { "\(name) is \"\((headers[name] ?? "").inMessage)\"" }
    let what =
      switch fault {
      case .length: "The server states an invalid length: \(value("Content-Length"))."
      case .transferCoding:
        "The server does not say clearly where the body ends: \(value("Transfer-Encoding")); only \"chunked\" is known."
      case .spelling:
        "The server does not say clearly where the body ends: Content-Length or Transfer-Encoding is folded, or has a blank "
          + "before its colon."
      }
    return ImageError(.network, what, subject: subject, causes: [CurlLoader.Failure(CURLE_WEIRD_SERVER_REPLY)])
  }

  static func switchedProtocol(subject: String) -> ImageError {
    ImageError(
      .network, "The server switches to another protocol (status 101), but the request did not ask for it.",
      subject: subject,
      causes: [CurlLoader.Failure(CURLE_WEIRD_SERVER_REPLY)])
  }

  static func noRedirectTarget(_ text: String, subject: String, _ head: ResponseHead?) -> ImageError {
    ImageError(
      .network, "The server redirects to \"\(text.inMessage)\", which is not a URL.", subject: subject,
      response: head, cause: CurlLoader.Failure(CURLE_URL_MALFORMAT))
  }

  /// The error when a body was cut, and the server then sent neither its rest nor the whole.
  static func noRest(of delivery: Transfer.Delivery, status: Int, subject: String) -> ImageError {
    ImageError(
      .truncatedBody,
      "The body was cut after \(delivery.byteCount) bytes, and the server answered with status \(status) when asked for "
        + "the rest.", subject: subject, response: delivery.head)
  }

  static func tookTooLong(limit: Duration, subject: String) -> ImageError {
    ImageError(.timedOut, "The transfer took longer than \(limit). Raise totalTimeout to allow it.", subject: subject)
  }

  static func notModifiedUnasked(_ head: ResponseHead, _ subject: String) -> ImageError {
    ImageError(
      .notModified,
      "A redirect led to another URL than before, so \"not modified\" does not confirm the cached picture.",
      subject: subject, response: head)
  }

  static func notHTTP(subject: String) -> ImageError {
    ImageError(.network, "The response of the server is not HTTP.", subject: subject)
  }

  static func loaderClosed(_ subject: String) -> ImageError {
    ImageError(.cancelled, "The loader was closed.", subject: subject)
  }

  static func noThread(_ subject: String) -> ImageError {
    ImageError(.network, "The system has no thread or descriptor left for transfers.", subject: subject)
  }

  static func noMemory(_ subject: String) -> ImageError {
    .exhausted("There is no memory for another transfer.", subject: subject)
  }

  /// The error of all running transfers when curl, or the system that it uses, failed as a whole.
  static func loopFailed(_ code: CURLMcode, subject: String) -> ImageError {
    let reason = curl_multi_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
    return ImageError(
      .network,
      "The transfer was stopped with all others, because the system refused to watch a connection (\(reason)); "
        + "it can be tried again.", subject: subject)
  }
}

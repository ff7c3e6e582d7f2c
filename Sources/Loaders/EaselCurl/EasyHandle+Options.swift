import CEaselCurl
import EaselCore
import FoundationEssentials

extension TransferStep {
  /// True when the step differs from other steps only in its URL.
  func isPlain(for job: LoadJob) -> Bool {
    method == "GET" && body == nil && headers.isEmpty && range == nil && !isForeign && !needsNewConnection
      && !job.request.handlesCookies
      && !job.request.allowsInvalidCertificates
  }
}

extension EasyHandle {
  /// Sets the options that all transfers of a loader share.
  func setCommonOptions(_ configuration: CurlLoader.Configuration) {
    setErrorText()
    setReceiver()
    set(CURLOPT_NOSIGNAL, true)
    // Without this option, removing a transfer waits for the name lookup, and blocks all other transfers.
    set(CURLOPT_QUICK_EXIT, true)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, false)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    set(CURLOPT_HTTP09_ALLOWED, false)
    set(CURLOPT_BUFFERSIZE, 256 << 10)
    set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout)
    // With this option, curl waits for a connection in progress, which may allow sharing.
    set(CURLOPT_PIPEWAIT, true)
    if let file = configuration.certificateAuthorities {
      set(CURLOPT_CAINFO, file)
      set(CURLOPT_CAPATH, nil as String?)
    }
    if let keys = configuration.pinnedPublicKeys { set(CURLOPT_PINNEDPUBLICKEY, keys) }
    setClientCertificate(configuration.clientCertificate)
    setProxy(configuration)
  }

  private func setClientCertificate(_ certificate: CurlLoader.ClientCertificate?) {
    guard let certificate else { return }
    set(CURLOPT_SSLCERT, certificate.certificateFile)
    set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.certificateFile)
    if let password = certificate.keyPassword { set(CURLOPT_KEYPASSWD, password) }
  }

  private func setProxy(_ configuration: CurlLoader.Configuration) {
    switch configuration.proxy {
    case .environment:
      // A proxy from the environment would connect to any address, and so bypass the policy.
      if !configuration.addressPolicy.allowsEverything { set(CURLOPT_PROXY, "") }
    case .direct: set(CURLOPT_PROXY, "")
    case .url(let url):
      set(CURLOPT_PROXY, url)
      set(CURLOPT_NOPROXY, "")
      set(CURLOPT_PROXYAUTH, easel_auth_any())
    }
  }

  func setURL(of step: TransferStep) {
    // With the overload for an optional string, the compiler would first build an array.
    _ = step.url.withCString { easel_easy_set_text(easy, CURLOPT_URL, $0) }
    let isUnencrypted = step.isUnencrypted
    guard isUnencrypted != self.isUnencrypted else { return }
    // Without encryption there is only HTTP/1.1, so no protocol has to be negotiated.
    set(CURLOPT_HTTP_VERSION, isUnencrypted ? Int(CURL_HTTP_VERSION_1_1) : Int(CURL_HTTP_VERSION_2TLS))
    self.isUnencrypted = isUnencrypted
  }

  /// Sets the options of this step only.
  func setDetails(of exchange: CurlExchange, credential: CurlLoader.Credential?, cookies: UnsafeMutableRawPointer?) {
    let (step, request, configuration) = (exchange.step, exchange.job.request, exchange.engine.configuration)
    setMethod(step)
    // curl resends a request if a kept connection ends without a response, even a request that must not be repeated.
    if step.needsNewConnection || !configuration.mayRepeat(step) { set(CURLOPT_FRESH_CONNECT, true) }
    var fields = configuration.headers
    if step.isForeign { fields = fields.forAnyone(hasBody: step.body != nil, and: configuration.headersForAnyone) }
    // A response to the loader's own conditions would not answer the conditions of the request.
    if step.isConditional { fields = fields.withoutConditions }
    fields.merge(step.headers)
    if setCredential(credential, &fields) { exchange.mayBeAskedForCredentials = true }
    var extra: [String] = []
    if let range = step.range {
      fields["Accept-Encoding"] = nil
      extra += range.lines
    } else if fields["Accept-Encoding"] == nil {
      fields["Accept-Encoding"] = Unpacker.acceptedCodings
    }
    if step.body != nil {
      // Otherwise curl would add its own content type and "Expect: 100-continue".
      extra.append("Expect:")
      if fields["Content-Type"] == nil { extra.append("Content-Type:") }
    }
    if let signature = configuration.signature, !step.isForeign {
      var all = fields
      if let range = step.range { all.merge(range.fields) }
      for field in signature(step.method, step.url, all).fields { extra.append("\(field.name): \(field.value)") }
    }
    if !configuration.secretQuery.isEmpty, !step.isForeign {
      let mark = step.url.contains("?") ? "&" : "?"
      set(CURLOPT_URL, step.url + mark + configuration.secretQuery)
    }
    setHeaders(HeaderList(fields, extra: extra))
    if configuration.keepsDotSegments { set(CURLOPT_PATH_AS_IS, true) }
    if request.allowsInvalidCertificates {
      set(CURLOPT_SSL_VERIFYPEER, false)
      set(CURLOPT_SSL_VERIFYHOST, false)
    }
    if step.isForeign {
      set(CURLOPT_SSLCERT, nil as String?)
      set(CURLOPT_SSLKEY, nil as String?)
    }
    set(CURLOPT_SHARE, cookies)
    if cookies != nil {
      set(CURLOPT_COOKIEFILE, "")
      reportDetails()
    }
    if let entries = configuration.resolve?() {
      let list = HeaderList(lines: entries)
      resolve = list
      set(CURLOPT_RESOLVE, UnsafeMutableRawPointer(list.pointer))
    }
  }

  func setHeaders(_ list: HeaderList) {
    headers = list
    set(CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list.pointer))
  }

  private func setMethod(_ step: TransferStep) {
    if let body = step.body {
      easel_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
      body.withUnsafeBytes { bytes in
        // curl copies the bytes. A null pointer would mean that there is no body, so an empty body gets another
        // pointer.
        set(CURLOPT_COPYPOSTFIELDS, bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0) } ?? emptyBody)
      }
    }
    switch step.method {
    case "GET" where step.body == nil: break
    case "POST" where step.body != nil: break
    case "HEAD": set(CURLOPT_NOBODY, true)
    default: set(CURLOPT_CUSTOMREQUEST, step.method)
    }
  }

  private var emptyBody: UnsafeMutableRawPointer { UnsafeMutableRawPointer(easy) }

  /// Sets the credential; returns true when curl itself responds to a server that asks for one.
  private func setCredential(_ credential: CurlLoader.Credential?, _ fields: inout HTTPHeaders) -> Bool {
    switch credential {
    case nil: return false
    case .bearer(let token): if fields["Authorization"] == nil { fields["Authorization"] = "Bearer \(token)" }
    case .basic(let user, let password):
      if fields["Authorization"] == nil {
        fields["Authorization"] = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
      }
    case .digest(let user, let password):
      set(CURLOPT_USERNAME, user)
      set(CURLOPT_PASSWORD, password)
      set(CURLOPT_HTTPAUTH, easel_auth_digest())
      return true
    }
    return false
  }
}

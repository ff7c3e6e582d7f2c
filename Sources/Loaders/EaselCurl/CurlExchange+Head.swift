import CEaselCurl
import EaselCore

/// Decides how to continue after the head of a response.
extension CurlExchange {
  /// Handles a report about a head; returns false to end the step.
  func takeHead(_ news: easel_head_news) -> Bool {
    switch news {
    case easel_head_is_whole:
      switch phase {
      case .awaitingHead, .holdingHead:
        // A new head after a held one is the response to curl's own second request.
        phase = .awaitingHead
        return judgeHead()
      default: return true
      }
    case easel_head_is_too_large:
      return fail(.headTooLarge(limit: engine.configuration.maximumHeadBytes, subject: subject))
    default: return fail(.noMemory(subject))
    }
  }

  private func judgeHead() -> Bool {
    guard let lines = ResponseLines(handle.head) else { return fail(.notHTTP(subject: subject)) }
    if lines.status == 101 { return fail(.switchedProtocol(subject: subject)) }
    if (100..<200).contains(lines.status) {
      handle.awaitAnotherHead()
      return true
    }
    if let fault = lines.framingFault { return fail(.badFraming(fault, lines.headers, subject: subject)) }
    if lines.status == 401 || lines.status == 407, mayBeAskedForCredentials {
      phase = .holdingHead
      handle.allowAnotherHead()
      return true
    }
    return accept(lines)
  }

  /// Accepts a head that was held; curl has sent no second request.
  func acceptHeldHead() -> Bool {
    guard let lines = ResponseLines(handle.head) else { return false }
    return accept(lines)
  }

  private func accept(_ lines: ResponseLines) -> Bool {
    if lines.hasTwoEnds { handle.forbidReuse() }
    // curl may read beyond the end of such a response, and only its detailed reports tell that.
    if lines.isChunked || hasNoBody(lines) { handle.reportDetails() }
    var head = ResponseHead(url: step.responseURL(job.request), status: lines.status, headers: lines.headers)
    if job.request.handlesCookies { head.sentFields = sentHead.cookies }
    if step.headers["Cache-Control"] == nil, let own = engine.cacheControl { head.sentFields.add("Cache-Control", own) }
    if lines.isRedirect { return discardBody(of: lines, then: .followRedirect(head)) }
    head.redirects = step.redirectHeads
    if lines.status == 304, transfer.isRevalidation {
      let isExpected = step.isConditional
      return discardBody(
        of: lines, then: isExpected ? .reportNotModified(head) : .fail(.notModifiedUnasked(head, subject)))
    }
    if mayHaveBody(lines) { head.expectedLength = lines.length }
    if let range = step.range { return acceptPart(range, head, lines) }
    if transfer.delivery != nil { transfer.restartSink() }
    return askSink(about: head, lines)
  }

  /// Accepts the response to a range request.
  private func acceptPart(_ range: BodyRange, _ head: ResponseHead, _ lines: ResponseLines) -> Bool {
    switch range.verdict(on: lines, from: head.url) {
    case .rest:
      guard let delivery = transfer.delivery else {
        return askSink(about: range.joined(head), lines, joinedLength: range.length)
      }
      phase = .receiving(IncomingBody(delivery.head, lines, method: job.request.method, joinedLength: range.length))
      return true
    case .whole:
      transfer.partial = nil
      if transfer.delivery != nil { transfer.restartSink() }
      return askSink(about: head, lines)
    case .other: return discardBody(of: lines, then: .startAfresh)
    case .neither:
      guard let delivery = transfer.delivery else { return askSink(about: head, lines) }
      // The sink was promised another body, so this response cannot be passed to it.
      return discardBody(of: lines, then: .fail(.noRest(of: delivery, status: lines.status, subject: subject)))
    }
  }

  private func askSink(about head: ResponseHead, _ lines: ResponseLines, joinedLength: Int? = nil) -> Bool {
    let body = IncomingBody(head, lines, method: job.request.method, joinedLength: joinedLength)
    do {
      guard try job.sink.beginAtOnce(head) else {
        phase = .judging(body)
        engine.giveAwayPlace(of: transfer)
        engine.send(.head(head), to: job)
        return true
      }
    } catch {
      engine.send(.end(.failure(error)), to: job)
      return discardBody(of: lines, then: .nothing)
    }
    return receive(body)
  }

  private func mayHaveBody(_ lines: ResponseLines) -> Bool { lines.mayHaveBody(method: job.request.method) }

  private func hasNoBody(_ lines: ResponseLines) -> Bool { !mayHaveBody(lines) || lines.announcedLength == 0 }

  /// Reads the rest of the body if that is cheaper than a new connection; returns false to end the step.
  private func discardBody(of lines: ResponseLines, then nextStep: Discarding.NextStep) -> Bool {
    startDiscarding(then: nextStep)
    if nextStep.isAnotherRequest, handle.isInTurn {
      handle.forbidReuse()
      return hasNoBody(lines)
    }
    if hasNoBody(lines) { return true }
    if let length = lines.announcedLength { return length <= Discarding.mostBytes }
    switch nextStep {
    case .nothing, .fail: return false
    case .followRedirect, .reportNotModified, .startAfresh: return lines.isChunked
    }
  }
}

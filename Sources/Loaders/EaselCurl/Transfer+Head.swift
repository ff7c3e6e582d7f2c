import CEaselCurl
import EaselCore

/// Handles the head of a response.
extension Transfer {
  func headIsWhole() -> Bool {
    guard let lines = ResponseLines(handle!.head) else {
      fail(.notHTTP(subject: subject))
      return false
    }
    if lines.status == 101 {
      fail(.switchedProtocol(subject: subject))
      return false
    }
    if (100..<200).contains(lines.status) {
      handle!.awaitAnotherHead()
      return true
    }
    if let fault = lines.framingFault {
      fail(.badFraming(fault, lines.headers, subject: subject))
      return false
    }
    if lines.status == 401 || lines.status == 407, leg.mayBeAskedForCredentials {
      stage = .held
      handle!.mayHaveAnotherHead()
      return true
    }
    return accept(lines)
  }

  /// Accepts a head that was held, because curl has sent no second request.
  func acceptHead() -> Bool {
    guard let lines = ResponseLines(handle!.head) else { return false }
    return accept(lines)
  }

  private func accept(_ lines: ResponseLines) -> Bool {
    if lines.hasTwoEnds { handle?.forbidReuse() }
    // curl may read beyond the end of these responses.
    if lines.isChunked || hasNoBody(lines) { handle?.tellDetails() }
    var head = ResponseHead(url: leg.responseURL(job.request), status: lines.status, headers: lines.headers)
    if job.request.handlesCookies { head.sentFields = sentHead.cookies }
    if lines.isRedirect {
      self.head = head
      return discard(then: .redirect, lines)
    }
    head.redirects = leg.redirectHeads
    if lines.status == 304, isRevalidation {
      self.head = head
      guard leg.isConditional else {
        fail(.notModifiedUnasked(head, subject))
        return discard(then: .end, lines)
      }
      return discard(then: .notModified, lines)
    }
    if mayHaveBody(lines) { head.expectedLength = lines.length }
    if let range = leg.range {
      switch range.verdict(on: lines, from: head.url) {
      case .goesOn:
        joinedLength = range.length
        head = range.joined(head)
        if takenHead != nil {
          // The sink already has this head and these bytes.
          self.head = takenHead
          stage = .body
          return true
        }
      case .isAnother: return discard(then: .afresh, lines)
      case .startsAgain:
        partial = nil
        if takenHead != nil { startAgain() }
      case .failed:
        // The sink was promised another body, so this response cannot be passed to it.
        if takenHead != nil {
          fail(
            ImageError(
              .truncatedBody,
              "The body was cut after \(received) bytes, and the server answered with status \(lines.status) when "
                + "asked for the rest.", subject: subject, response: takenHead))
          return discard(then: .end, lines)
        }
      }
    } else if takenHead != nil {
      startAgain()
    }
    announcedLength = mayHaveBody(lines) ? lines.announcedLength : nil
    packedCount = 0
    unpacker = nil
    packing = job.request.method == "HEAD" ? nil : lines.packing
    endsWithConnection = lines.endsWithConnection
    return ask(head, lines)
  }

  private func startAgain() {
    job.sink.restart(at: 0)
    received = 0
    takenHead = nil
  }

  private func ask(_ head: ResponseHead, _ lines: ResponseLines) -> Bool {
    self.head = head
    do {
      guard try job.sink.beginAtOnce(head) else {
        stage = .asking
        engine.giveAwayPlace(of: self)
        engine.tell(job, .head(head))
        return true
      }
    } catch {
      return refuse(error, lines)
    }
    return headWasTaken()
  }

  /// Continues after the sink accepted the head; false when the body cannot be taken.
  func headWasTaken() -> Bool {
    takenHead = head
    stage = .body
    guard mayTakeBody() else { return false }
    guard joinedLength != nil, let kept = partial else { return true }
    partial = nil
    do {
      return try kept.bytes.withUnsafeBytes { put($0) }
    } catch {
      fail(.wrapping(error, as: .network, "The stored part of the body cannot be read.", subject: subject))
      return false
    }
  }

  /// Checks the announced body.
  ///
  /// Called after the sink accepted the head, because a refused body does not matter.
  private func mayTakeBody() -> Bool {
    if let packing {
      unpacker = Unpacker(packing, limit: job.request.byteLimit)
      if unpacker == nil {
        fail(.unknownPacking(packing, subject: subject))
        return false
      }
    }
    if let length = head?.expectedLength, length > job.request.byteLimit {
      fail(.tooLarge(announced: length, limit: job.request.byteLimit, subject: subject))
      return false
    }
    return true
  }

  private func refuse(_ error: any Error, _ lines: ResponseLines) -> Bool {
    engine.answer(self, .failure(error))
    return discard(then: .end, lines)
  }

  private func hasNoBody(_ lines: ResponseLines) -> Bool { !mayHaveBody(lines) || lines.announcedLength == 0 }

  /// True when a length in this head describes bytes that follow it.
  private func mayHaveBody(_ lines: ResponseLines) -> Bool {
    job.request.method != "HEAD" && lines.status != 204 && lines.status != 304
  }

  /// Reads the rest of the body when that is cheaper than a new connection; false ends the leg.
  private func discard(then next: Next, _ lines: ResponseLines) -> Bool {
    startDiscarding(then: next)
    if hasNoBody(lines) { return true }
    return lines.announcedLength.map { $0 <= Self.mostToDiscard } ?? (next != .end && lines.isChunked)
  }

  func startDiscarding(then next: Next) {
    self.next = next
    stage = .discarding
    discarded = 0
    discardingStart = engine.now
    engine.nextCheck = min(engine.nextCheck, engine.deadline(of: self))
  }
}

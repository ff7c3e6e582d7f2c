import EaselCore
import EaselWorkers

/// Makes encoded bytes for everyone who needs the same ones: encodes the pixels, or passes the original through if it
/// already is what is asked for.
struct EncodingRun: ManagerRun {
  let manager: ImageManager
  let request: ResolvedRequest
  let form: EncodedForm
  let source: EncodingSource
  let shared: SharedRun

  func make() async throws -> EncodedBytes {
    if let passThrough = PassThrough(request), let passed = try await pass(passThrough) { return passed }
    let leaveGate = try await enterGate()
    do {
      let encoded = try await encode(pixels())
      if let leaveGate { await leave(leaveGate, isFinished: true) }
      return encoded
    } catch {
      if let leaveGate { await leave(leaveGate, isFinished: false) }
      throw error
    }
  }

  // MARK: Waiting for permission

  /// Waits until the gate of the manager lets the work begin; returns nil if there is none.
  ///
  /// A transfer is waited for first: who only waits for a network must not keep others from working.
  private func enterGate() async throws -> (@Sendable (_ isFinished: Bool) -> Void)? {
    guard let gate = manager.configuration.workGate else { return nil }
    switch source {
    case .picture(let image, _), .pixels(.image(let image, _)), .pixels(.firstFrame(let image, _)):
      return try await enter(gate, PixelWork(request, form, pixelsOf: image))
    case .pixels(.cached(let bytes, _)): return try await enter(gate, with: bytes)
    case .pixels(.transfer(let transfer)):
      switch try await value(of: transfer) {
      case .notModified: return nil
      case .image(let image, _, _): return try await enter(gate, PixelWork(request, form, pixelsOf: image))
      case .body(let body):
        do {
          return try await enter(gate, with: body.bytes)
        } catch {
          body.releaseRoom()
          throw error
        }
      }
    }
  }

  private func enter(_ gate: any WorkGate, with bytes: ImageBytes) async throws -> (
    @Sendable (_ isFinished: Bool) -> Void
  )? {
    let work = newWork()
    let pixelWork = try await onWorker(.reading, work) { [request, form] () -> PixelWork? in
      let effort =
        request.coder.capability((any EffortEstimatingCoder).self)?
        .effort(of: bytes, limits: request.limits) ?? .zero
      guard effort <= PixelWork.mostEffortForHeader else { return PixelWork(request, form, effort: effort) }
      // The decoder says better what is wrong with bytes that have no header.
      guard let header = try request.checks.header(of: bytes, by: request.coder, work: work) else { return nil }
      var pixelWork = PixelWork(request, form, header: header)
      pixelWork.effort = effort
      return pixelWork
    }
    guard let pixelWork else { return nil }
    return try await enter(gate, pixelWork)
  }

  private func enter(_ gate: any WorkGate, _ work: PixelWork) async throws -> @Sendable (_ isFinished: Bool) -> Void {
    var work = work
    work.deadline = shared.wish.deadlineIfAny
    work.result = request.resultKey
    let facts = work
    return try await shared.asPlugin { try await gate.enter(facts) }
  }

  /// Tells the gate that the work is over, and waits no longer than for other plug-ins.
  ///
  /// It is a task of its own, because work that was cancelled leaves the gate too.
  private func leave(_ leaveGate: @escaping @Sendable (_ isFinished: Bool) -> Void, isFinished: Bool) async {
    await Task(priority: .medium) { [readers = manager.configuration.readers, terms = terms(of: .gate, newWork())] in
      try? await readers.run(terms) { leaveGate(isFinished) }
    }.value
  }

  /// Waits for a transfer, whose events reach the waiting loads through their own seats.
  private func value(of transfer: JoinedRun<Transferred>) async throws -> Transferred {
    try await join(transfer, byteLimit: request.limits.downloadBytes) { _ in }.value
  }

  // MARK: Passing through

  private func pass(_ passThrough: PassThrough) async throws -> EncodedBytes? {
    switch source {
    case .picture, .pixels(.image), .pixels(.firstFrame): return nil
    case .pixels(.cached(let bytes, let record)):
      // Bytes that the manager encoded itself are not those of the original.
      return record.picture == nil ? try await pass(bytes, passThrough) : nil
    case .pixels(.transfer(let transfer)):
      guard try await mayPass(transfer, passThrough) else { return nil }
      guard case .body(let body) = try await value(of: transfer),
        let passed = try await pass(body.bytes, passThrough)
      else { return nil }
      body.releaseRoom()
      return passed
    }
  }

  private func pass(_ bytes: ImageBytes, _ passThrough: PassThrough) async throws -> EncodedBytes? {
    let work = newWork()
    return try await onWorker(.reading, work) { () -> EncodedBytes? in
      guard let passed = try passThrough.passed(bytes, work: work) else { return nil }
      // What goes out must not change on its way.
      guard passed.bytes.isInLoadersFile, passed.bytes.count <= Self.mostBytesToRead else { return passed }
      return try passed.loaded()
    }
  }

  private static let mostBytesToRead = 16 << 20

  /// True when the body may pass.
  ///
  /// Returns false as soon as the beginning of the body tells otherwise, so that it is decoded while the rest arrives.
  private func mayPass(_ transfer: JoinedRun<Transferred>, _ passThrough: PassThrough) async throws -> Bool {
    let first = FirstBytes()
    let joined = join(transfer, byteLimit: request.limits.downloadBytes) { event in
      if case .arrived(let arrival) = event { first.bytesArrived(arrival) }
    }
    async let isOver: Void = {
      defer { first.end() }
      _ = try? await joined.value
    }()
    var count = CoderRegistry.shortSniffLength
    while let beginning = await first.wait(for: count) {
      let work = newWork()
      guard try await onWorker(.reading, work, { passThrough.isPossible(for: beginning, work: work) }) else {
        return false
      }
      count = max(4096, 2 * beginning.count)
    }
    await isOver
    return true
  }

  // MARK: Encoding

  /// The pixels to be written.
  ///
  /// If only the first frame of a moving picture is written, these are its pixels after the transformers.
  private func pixels() async throws -> Image {
    let image =
      switch source {
      case .picture(let image, _): image
      case .pixels(let source): try await makePixels(from: source)
      }
    try request.checkMotion(of: image)
    guard request.transformsFirstFrame(of: image) else { return request.fitted(image) }
    return try await makePixels(from: .firstFrame(image.withoutFrames, generation: generation()))
  }

  /// The generation of the original.
  private func generation() async throws -> UInt64 {
    switch source {
    case .picture(_, let generation), .pixels(.image(_, let generation)), .pixels(.firstFrame(_, let generation)):
      return generation
    case .pixels(.cached(_, let record)): return record.generation
    case .pixels(.transfer(let transfer)):
      switch try await value(of: transfer) {
      case .body(let body): return body.record.generation
      case .image(_, let generation, _): return generation
      case .notModified: return ContentGeneration.ofNothing
      }
    }
  }

  private func encode(_ image: Image) async throws -> EncodedBytes {
    let work = newWork()
    let started = manager.configuration.clock.uptime
    let encoded = try await onWorker(.encoder, work) { [request, form] in
      try form.encode(image, for: request, work: work)
    }
    report(.encoded(encoded.format, byteCount: encoded.bytes.count, manager.configuration.clock.uptime - started))
    return encoded
  }
}

/// The input of an `EncodingRun`.
enum EncodingSource: Sendable {
  /// A finished picture.
  case picture(Image, generation: UInt64)
  /// Something from which the pixels must be made.
  case pixels(PixelSource)
}

/// Identifies encoded bytes that can be shared.
struct EncodingRunKey: Hashable, Sendable {
  private let pixels: PixelsKey
  private let isFinished: Bool
  private let suffix: KeySuffix

  init(_ request: ResolvedRequest, _ form: EncodedForm, _ source: EncodingSource) {
    let input: PixelsKey.Input
    switch source {
    case .picture(_, let generation): (input, isFinished) = (.bitmap(generation: generation), true)
    case .pixels(let source): (input, isFinished) = (source.input, false)
    }
    pixels = PixelsKey(request, input: input, stepCount: request.steps.count)
    suffix = form.suffix(mayBeOriginal: request.mayKeepBytes)
  }
}

extension EncodedRun {
  /// Encodes what `source` gives, or joins a run that does so already.
  func makeBytes(from source: EncodingSource) async throws -> EncodedBytes {
    // A load without a form has failed before it came here.
    guard let form = request.form else { preconditionFailure("The request is for a picture.") }
    return try await join(manager.encodingRuns, EncodingRunKey(request, form, source)) { [manager, request] shared in
      try await EncodingRun(manager: manager, request: request, form: form, source: source, shared: shared).make()
    }.value
  }
}

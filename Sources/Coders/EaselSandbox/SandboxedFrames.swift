import EaselCore

/// The frames of an animation whose decoder runs in a sandbox.
///
/// The process that made a frame waits one second for the next request.
struct SandboxedFrames: FrameSource {
  let loopCount: Int
  let canvasSize: PixelSize
  private let durations: [Duration]
  private let picture: SandboxedImage
  private let options: DecodeOptions
  private let limits: Limits
  private let context: ImageContext
  private let sandbox: Sandbox

  init(
    _ list: StoredFrameList, of picture: SandboxedImage, options: DecodeOptions, limits: Limits,
    context: ImageContext, sandbox: Sandbox
  ) {
    loopCount = list.loopCount
    canvasSize = list.canvasSize
    durations = list.durations
    self.picture = picture
    self.options = options
    self.limits = limits
    self.context = context
    self.sandbox = sandbox
  }

  var count: Int { durations.count }

  var memoryCost: Int { picture.bytes.memoryCost + durations.count * MemoryLayout<Duration>.stride }

  func duration(at index: Int) -> Duration { durations[index] }

  func frame(at index: Int) throws -> Bitmap {
    try frame(at: index, work: WorkContext(limits: limits, context: context))
  }

  func frame(at index: Int, work: WorkContext) throws -> Bitmap {
    try work.checkCancellation()
    let frame = try sandbox.withProcess(for: picture, decodedWith: options, work: work) { process, isNew -> Bitmap in
      if isNew { _ = try process.picture(options, work: work) }
      guard case .frame(let stored) = try process.ask(.frame(index), work: work), stored.size == canvasSize else {
        throw process.brokenRules("sent something else than the frame that it was asked for")
      }
      let bitmap = try process.bitmap(stored, limits: work.limits)
      sandbox.keep(process, decodedWith: options)
      return bitmap
    }
    if let frame { return frame }
    throw ImageError.exhausted("Frame \(index) cannot be made, because the sandbox is gone.")
  }
}

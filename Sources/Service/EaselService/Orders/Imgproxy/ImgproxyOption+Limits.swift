/// Options that raise or lower limits.
extension ImgproxyOption {
  static let limits: [ImgproxyOption] = [
    ImgproxyOption(
      "max_src_resolution", "msr", arguments: "megapixels", help: "The most megapixels of the original.",
      isGuarded: true
    ) { draft, given throws(ServiceError) in
      draft.order.limits.sourcePixels = try given.number(0, 0...10_000).map { Int($0 * 1_000_000) }
    },
    ImgproxyOption(
      "max_src_file_size", "msfs", arguments: "bytes", help: "The most bytes of the original.", isGuarded: true
    ) {
      draft, given throws(ServiceError) in draft.order.limits.sourceBytes = try given.integer(0)
    },
    ImgproxyOption(
      "max_animation_frames", "maf", arguments: "number", help: "The most frames of the original.", isGuarded: true
    ) { draft, given throws(ServiceError) in draft.order.limits.frameCount = try given.integer(0) },
    ImgproxyOption(
      "max_animation_frame_resolution", "mafr", arguments: "megapixels", help: "The most megapixels of a frame.",
      isGuarded: true
    ) { draft, given throws(ServiceError) in
      draft.order.limits.framePixels = try given.number(0, 0...10_000).map { Int($0 * 1_000_000) }
    },
    ImgproxyOption(
      "max_result_dimension", "mrd", arguments: "pixels", help: "The longest side of the result.", isGuarded: true
    ) { draft, given throws(ServiceError) in draft.order.limits.resultSide = try given.integer(0) },
  ]
}

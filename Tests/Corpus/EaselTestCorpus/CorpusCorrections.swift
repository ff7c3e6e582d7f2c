/// Corrections of the manifest where its decoder contradicts the format.
///
/// An independent script composed the grids according to the formats.
enum CorpusCorrections {
  private static let grids: [String: (first: String?, last: String?)] = [
    // Frames laid over others; Pillow blends them differently or not at all.
    "apngkit--tRNS_alpha.apng": (
      nil,
      "1b2225272247505f20444d5c1c23262822292b2de3b42df7e1b32ef6232a2c2f"
        + "1b15061cefb218f9f7b817ff221b082200000000372a093857430d590e0b030e"
    ),
    "apngkit--over_previous.apng": (
      nil,
      "2f070031660e006a2a06002c000000006411056d534350a93d41519400040606"
        + "1f1d24452f5c7bb213587b94001b262800050707003e595d003f5a5e00060808"
    ),
    "wuffs--muybridge.apng": (
      nil,
      "d6d6d6ffd8d8d8ffc7c7c7ffddddddffb3b3b3ff878787ff808080ffa8a8a8ff"
        + "b1b1b1ff808080ff838383ffcfcfcfff9f9f9fffa9a9a9ffabababffb2b2b2ff"
    ),
    "pillow--blend_op_over_near_transparent.png": (nil, String(repeating: "00ff00ff", count: 16)),
    // Frames that exceed the canvas; Pillow enlarges the canvas.
    "wuffs--frame-out-of-bounds.gif": (
      "0000ffff0000ffff1100ffff1100ffff0000ffff0000ffff1100ffff1100ffff"
        + "0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff0000ffff",
      "0000ffff0000ffff1100ffff1100ffff0000ffff0000ffff1100ffff1100ffff"
        + "0088ffff0088ffff0099ffff0099ffff0088ffff0088ffff0099ffff0099ffff"
    ),
    "image-rs--issue_1455_oversized.gif": (
      "00000000000000000000000000000000000000000ce31ce30cd51ad503390739"
        + "000000000eff1fff0eff1fff0eff1fff000000000ce31ce30eff1fff0eff1fff", nil
    ),
    // A first frame that asks to restore the canvas before it; Pillow leaves the frame.
    "libgd--dispose_previous.gif": (
      nil,
      "ffffffffffffffff0000ffff0000ffffffffffffffffffff0000ffff0000ffff"
        + "ffffffffffffffff0000ffff0000ffffffffffffffffffff0000ffff0000ffff"
    ),
  ]

  /// The hashes of pixels that the manifest takes from a worse picture of the same file.
  private static let pixels = [
    // Of three PNGs of one size, the references take the first, which was made of 16 colours.
    "metadata-extractor--Icon__1_.ico": "55e6f779b33e5e6db2b891312262b56aaf614db6e2d38f45bc6d43bdcca1ec36"
  ]

  // An empty comment, and codes that begin with twelve bits. giflib gives up at them; other decoders read them.
  private static let sound = ["pillow--hopper_zero_comment_subblocks.gif", "pillow--issue_2811.gif"]

  private static let sequence = "Of a HEIC with a sequence only the still picture is read."

  /// Files whose manifest follows decoders that do less than the format allows, and what those lack.
  private static let beyondReferences = [
    "image-rs--pal2.bmp": "The references know no 2 bits per pixel.",
    "image-rs--pal2color.bmp": "The references know no 2 bits per pixel.",
    "image-rs--rgba32abf.bmp": "The references do not know the compression with a mask of alpha.",
    "image-rs--V3_X4_R4_G4_B4.bmp": "In the references that agree, four bits of white are no white.",
    "image-rs--V3_X4_R4_G4_B4_Top_Down.bmp": "In the references that agree, four bits of white are no white.",
    "image-rs--V5_A1_R5_G5_B5.bmp": "The references that agree ignore the mask of alpha.",
    "metadata-extractor--rgba16-5551.bmp": "The references that agree ignore the mask of alpha.",
    "libjxl-testdata--splines.jxl": "The libjxl of Debian 12, 0.7, refuses splines that cover so many pixels.",
    "image-rs--cmyk_u8_trunc_case.tif": "No byte is missing: its strip ends where the file does.",
    "image-tiff--big_g4.tif": "It has one row more than Limits.side allows a side by default.",
    "metadata-extractor--exif-at-eof.heic": "Its EXIF is at the end of the file, and whole.",
    "nokia-conformance--C046.heic": sequence, "nokia-conformance--MIAF006.heic": sequence,
    "pillow-heif--bird_burst.heic": sequence, "sdwebimage--TestImageAnimated.heics": sequence,
  ]

  static func reasonToDiffer(_ entry: CorpusEntry) -> String? {
    beyondReferences.first { entry.path.hasSuffix($0.key) }?.value
  }

  static func hash(of entry: CorpusEntry) -> String? { pixels.first { entry.path.hasSuffix($0.key) }?.value }
  static func firstGrid(of entry: CorpusEntry) -> String? { corrected(entry)?.first }
  static func lastGrid(of entry: CorpusEntry) -> String? { corrected(entry)?.last }

  /// True when the manifest calls a file damaged although it is valid.
  static func isSound(_ entry: CorpusEntry) -> Bool { sound.contains { entry.path.hasSuffix($0) } }

  private static func corrected(_ entry: CorpusEntry) -> (first: String?, last: String?)? {
    grids.first { entry.path.hasSuffix($0.key) }?.value
  }
}

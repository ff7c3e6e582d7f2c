import Easel

/// One of the pictures made from each upload.
struct Variant {
  let name: String
  let pipeline: TransformerPipeline
  let format: ImageFormat

  static let all = [
    Variant(name: "list", pipeline: .resize(width: 96, height: 96, mode: .fill), format: .png),
    Variant(name: "card", pipeline: .resize(width: 320), format: .png),
    Variant(
      name: "avatar", pipeline: [.resize(width: 64, height: 64, mode: .fill), .roundCorners(32)], format: .png),
  ]
}

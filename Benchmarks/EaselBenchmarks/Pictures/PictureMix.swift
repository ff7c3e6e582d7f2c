/// The kinds of pictures in a job.
enum PictureMix: CaseIterable {
  case mixed, largeJPEG, smallJPEG, png, webp

  var title: String {
    switch self {
    case .mixed: "mixed"
    case .largeJPEG: "JPEG, 12 MP"
    case .smallJPEG: "JPEG, 2 MP"
    case .png: "PNG, 2 MP"
    case .webp: "WebP, 2 MP"
    }
  }

  /// The picture at an index of the job; there are ten different ones of each kind.
  func picture(at index: Int) -> BenchmarkPicture {
    switch self {
    case .mixed:
      // Of ten: four large JPEGs, two small ones, two PNGs, two WebPs.
      let order: [PictureMix] = [
        .largeJPEG, .smallJPEG, .png, .largeJPEG, .webp, .largeJPEG, .smallJPEG, .png, .largeJPEG, .webp,
      ]
      return order[index % 10].picture(at: index / 10 + index % 10)
    case .largeJPEG: return BenchmarkPicture(.photo, .jpeg, 4000, 3000, seed: index % 10)
    case .smallJPEG: return BenchmarkPicture(.photo, .jpeg, 1600, 1250, seed: index % 10)
    case .png: return BenchmarkPicture(index.isMultiple(of: 2) ? .photo : .screen, .png, 1600, 1250, seed: index % 10)
    case .webp: return BenchmarkPicture(.photo, .webp, 1600, 1250, seed: index % 10)
    }
  }
}

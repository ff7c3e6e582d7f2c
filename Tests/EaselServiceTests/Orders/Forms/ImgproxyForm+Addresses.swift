extension ImgproxyForm {
  /// The forms of whole addresses.
  static let addresses = """
    | /plain/https://host/a.jpg | -
    | /plain/https://host/a.jpg@png | format=png
    | /plain/https://host/a.jpg@ | -
    | /w:300/plain/https://host/a.jpg@jpg | width=300 format=jpeg
    | /plain/https%3A%2F%2Fhost%2Fa.jpg | -
    | /plain/https://host/a%20b.jpg | source=https://host/a b.jpg
    | /plain/https://host/a.jpg%3Fq%3D1@webp | format=webp source=https://host/a.jpg?q=1
    | /plain/https://host/a%40b.jpg@png | format=png source=https://host/a@b.jpg
    | /plain/https://host/a%2520b.jpg | source=https://host/a%20b.jpg
    | /plain/local:///dir/a.jpg | source=local:///dir/a.jpg
    | /plain/https://host/a.jpg@png@jpg | error
    | /plain/https://host/a.jpg@exe | error
    | /plain/@png | error
    | /plain/%zz | error
    | /plain/ | error
    | /aHR0cHM6Ly9ob3N0L2EuanBn | -
    | /aHR0cHM6Ly9ob3N0L2EuanBn.png | format=png
    | /aHR0cHM6Ly9ob3N0L2EuanBn. | -
    | /w:300/aHR0cHM6Ly9ob3N0L2EuanBn.webp | width=300 format=webp
    | /aHR0cHM6/Ly9ob3N0/L2EuanBn | -
    | /w:300/aHR0cHM6/Ly9ob3N0/L2EuanBn.png | width=300 format=png
    | /aHR0cHM6Ly9ob3N0L2EuanBnZw== | source=https://host/a.jpgg
    | /aHR0cHM6Ly9ob3N0L2EuanBnZw | source=https://host/a.jpgg
    | /aHR0cHM6Ly9ob3N0L2EuanBnZw==.avif | format=avif source=https://host/a.jpgg
    | /aHR0cHM6Ly9ob3N0L2EuanBn.png.jpg | error
    | /*** | error
    | /w:300 | error
    | /f:webp/aHR0cHM6Ly9ob3N0L2EuanBn.png | format=png
    | /f:webp/plain/https://host/a.jpg@png | format=png
    | /pr:sharp/rs:fill:3:4:0/plain/https://host/a.jpg@png | type=fill width=3 height=4 Sharpen(1,2) format=png
    | /preset:sharp/gravity:sm/aHR0cHM6Ly9ob3N0L2EuanBn.png | gravity=sm Sharpen(1,2) format=png
    | /resize:fit:300:200/quality:80/plain/https://host/a.jpg@avif | width=300 height=200 format=avif quality=80
    | /fill/300/400/sm/0/plain/https://host/a.jpg | error
    | /raw:1/plain/https://host/a.jpg@png | original
    """

  /// The forms of addresses that name only presets.
  static let presetAddresses = """
    | /sharp/plain/https://host/a.jpg | Sharpen(1,2)
    | /sharp:small/plain/https://host/a.jpg@png | width=100 height=100 Sharpen(1,2) format=png
    | /small/aHR0cHM6Ly9ob3N0L2EuanBn | width=100 height=100
    | /sharp:nested/aHR0cHM6Ly9ob3N0L2EuanBn.png | width=50 Sharpen(1,2) format=png
    | /missing/plain/https://host/a.jpg | error
    | /w:300/plain/https://host/a.jpg | error
    """

  /// The forms of options that set limits.
  static let limits = """
    max_src_resolution msr | 5 | source-pixels=5000000
    max_src_resolution msr | 0.5 | source-pixels=500000
    max_src_resolution msr | 0.00001 | source-pixels=10
    max_src_file_size msfs | 10000 | source-bytes=10000
    max_src_file_size msfs | 1 | source-bytes=1
    max_animation_frames maf | 1 | frames=1
    max_animation_frames maf | 60 | frames=60
    max_animation_frame_resolution mafr | 2 | frame-pixels=2000000
    max_animation_frame_resolution mafr | 0.5 | frame-pixels=500000
    max_result_dimension mrd | 50 | result-side=50
    max_result_dimension mrd | 2000 | result-side=2000
    """
}

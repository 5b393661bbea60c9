function [value, unit] = fretwork(file, path)
% FRETWORK  Reads a dataset of Fretwork results into MATLAB or Octave.
%
%   frequency = fretwork('results/cantilever/results.h5', '/frf/frequency');
%   [tip, unit] = fretwork('results/cantilever/results.h5', '/frf/probes/tip');
%   semilogy(frequency, abs(tip)); xlabel('frequency [Hz]'); ylabel(['tip [' unit ']']);
%
% Axes are in the order of docs/results.md: points x pairs x samples. Complex amplitudes come as complex numbers.
% MATLAB reads with h5read; Octave, which has no such function, with the program h5dump (Debian: hdf5-tools).
  if exist('h5read') > 0
    value = h5read(file, path);
    if isstruct(value)
      value = complex(value.r, value.i);
    end
    value = double(value);
    if ndims(value) > 2 || ~isvector(value)
      value = permute(value, ndims(value):-1:1);
    end
    unit = char(h5readatt(file, path, 'unit'));
  else
    [value, unit] = read_with_h5dump(file, path);
  end
end

function [value, unit] = read_with_h5dump(file, path)
  [status, text] = system(sprintf('h5dump -A -d "%s" "%s" 2>&1', path, file));
  if status ~= 0
    error('fretwork: cannot read %s of %s: %s', path, file, strtrim(text));
  end
  unit = first_token(text, 'ATTRIBUTE "unit".*?\(0\): "([^"]*)"');
  head = regexprep(text, 'ATTRIBUTE.*', '');
  sizes = sscanf(first_token(head, 'SIMPLE \{ \( ([^)]*) \)'), '%f, ')';
  raw = tempname();
  [status, text] = system(sprintf('h5dump -d "%s" -b FILE -o "%s" "%s" 2>&1', path, raw, file));
  if status ~= 0
    error('fretwork: cannot read %s of %s: %s', path, file, strtrim(text));
  end
  handle = fopen(raw, 'r', 'ieee-le');
  value = fread(handle, Inf, precision(head));
  fclose(handle);
  delete(raw);
  if ~isempty(strfind(head, 'H5T_COMPOUND'))
    value = complex(value(1:2:end), value(2:2:end));
  end
  if numel(sizes) > 1
    value = permute(reshape(value, fliplr(sizes)), numel(sizes):-1:1);
  end
end

function token = first_token(text, pattern)
  tokens = regexp(text, pattern, 'tokens', 'once');
  token = '';
  if ~isempty(tokens)
    token = tokens{1};
  end
end

function name = precision(head)
% The HDF5 type of the numbers as fread names it.
  known = {'F64', 'double'; 'U64', 'uint64'; 'I64', 'int64'; 'U8', 'uint8'};
  for i = 1:size(known, 1)
    if ~isempty(strfind(head, known{i, 1}))
      name = known{i, 2};
      return
    end
  end
  error('fretwork: no numbers in this dataset');
end
